"""Chinese words for the guard, under the same law as the English ones: what is not listed is a difference.

Text is cut by the longest listed word; every other sign stands for itself. A word is listed where it has a synonym,
a meaning for the comparison, or contains a sign that would be misread alone (不锈钢 holds no negation).
"""

from __future__ import annotations

_SYNONYMS = """
不: 不
不能: 不能 无法 没法 不可以 不可
不要: 不要 禁止 严禁 不得 切勿 请勿 别
没有: 没有 没
只: 只 仅 只能 仅能
只有: 只有 仅有
除非: 除非
除了: 除了
可以: 可以 能 能够 可
允许: 允许
必须: 必须 务必
需要: 需要 需 要
应该: 应该 应当
如果: 如果 若 要是 假如 倘若
时: 时 的时候 时候
以后: 之后 以后
以前: 之前 以前
因为: 因为 由于
非常: 非常 十分
大约: 大约 大概 约
杯: 杯子 杯
桌: 桌子 桌
椅: 椅子 椅
箱: 箱子 箱
盒: 盒子 盒
瓶: 瓶子 瓶
盘: 盘子 盘
筐: 筐子 筐
绳: 绳子 绳
抓取: 抓取 抓 抓住 夹取 抓握
打开: 打开 开启
关闭: 关闭 关上 关掉 关
推开: 推开
放到: 放到 放在 放置在
搬: 搬运 搬
返回: 返回 回到
移动: 移动
检查: 检查 检测
重启: 重启 重新启动
电梯: 电梯 升降机
走廊: 走廊 过道
容易: 容易 易
充电桩: 充电桩 充电站
速度: 速度
里: 里 里面 内
上: 上 上面
下: 下 下面
和: 和 与
立即: 立即 马上 立刻
缓慢: 缓慢 慢慢
快速: 快速 迅速
经常: 经常 常常
早上: 早上 早晨
晚上: 晚上 夜里
用: 用 使用 采用
湿: 潮湿 湿
轮: 轮子 车轮 轮
灯: 灯 电灯
机械臂: 机械臂 机械手臂
不锈钢: 不锈钢
不同: 不同
给: 给
从: 从
到: 到
向: 向 往 朝
左: 左 左边 左侧
右: 右 右边 右侧
推: 推
拉: 拉
放: 放
拿: 拿
取: 取
送: 送
带: 带
装: 装
擦: 擦
关门: 关门
开门: 开门
BA: 把 将
BEI: 被
"""
DROPPED = frozenset('的 了 着 吧 请 就 是'.split())
VERBS = frozenset('抓取 打开 关闭 推开 放到 搬 返回 移动 检查 重启 推 拉 放 拿 取 送 带 装 擦 充电'.split())
PLACES = frozenset('上 里 下 中 旁'.split())
RESULTS = frozenset('走 开 到 进 出 去 来 回 起 完 好 进去 出来 下来 起来 上'.split())

POLARITY = frozenset('不 不能 不要 没有 可以 允许 必须 未 无 非 勿'.split())
QUALIFIER = frozenset('只 只有 除非 除了 如果 时 以后 以前 因为 非常 大约 都 也 才 或 很 最'.split())
_OPPOSITES = '左 右|推 拉|打开 关闭|上 下|以前 以后|进 出|进入 离开|前 后|内 外|东 南 西 北|开 关|高 低|快 慢'
DIRECTIONS = {word: f'zh{group}' for group, words in enumerate(_OPPOSITES.split('|')) for word in words.split()}
COLOURS = frozenset('红 黄 蓝 绿 黑 白 灰 紫 橙 棕 粉 红色 黄色 蓝色 绿色 黑色 白色'.split())
_WORDS_KEPT = (
    '请求 申请 充电 进入 离开 进去 出来 下来 起来 上午 下午 红色 黄色 蓝色 '
    '绿色 黑色 白色 要求 重要 主要 以后 关于 关节 机关 能量 功能 性能 智能 '
    '可能 可靠 可见 将来 除尘 约束 别人 级别 识别 开关 前面 后面 前台 后台 '
    '前轮 后轮 后门 前门 桌面 地面 目的 地板 地图 地点 地方 地毯 地址 基地 '
    '场地 得到 有的 是否 上升 下降 下雨 中心 内存 常温 易燃 能源 时间 小时 '
    '随时 同时 定时 及时 实时 需求 带宽 装置 推车 拉手 取消 送风 拿铁 擦伤 '
    '一只 两只 几只 只有 船只'
).split()


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = dict.fromkeys(DROPPED, ())
    table.update({word: (word,) for word in _WORDS_KEPT})
    for line in _SYNONYMS.strip().splitlines():
        canonical, words = line.split(': ')
        for word in words.split():
            table[word] = (canonical,)
    return table


WORDS = _table()
# by first sign, the longest first
LENGTHS = {
    first: tuple(sorted({len(word) for word in WORDS if word[0] == first}, reverse=True))
    for first in {word[0] for word in WORDS}
}
