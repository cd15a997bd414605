"""24 questions across Chinese and English: what is asked, the memory that answers it, and one that only stands near.

Written for this measurement. No sentence answers two of the questions: two topics that turned out to stand in two lists
were replaced, and nothing else was changed after the first run.
"""

from __future__ import annotations

Question = tuple[str, str, str]

CHINESE_TO_ENGLISH: tuple[Question, ...] = (
    ('充电站在哪里？', 'The charging station is behind the elevator on the second floor',
     'The spare battery lies in the drawer of the workshop'),
    ('怎么抓玻璃杯不会碎？', 'Hold a glass with at most four newtons, more will break it',
     'A metal cup may be held as firmly as you like'),
    ('哪条走廊地面湿滑？', 'The floor of the north corridor is slippery after the morning cleaning',
     'The floor of the hall was painted grey last week'),
    ('激光雷达为什么看不到玻璃门？', 'Glass doors are invisible to the laser scanner, use the sonar there',
     'The wooden door squeaks when it is pushed'),
    ('遇到小孩应该怎么办？', 'When children are near, stop and wait until they have gone',
     'When the lift is full, wait for the next one'),
    ('电池多久会用完？', 'One charge lasts about three hours of driving',
     'One round through the building is about two kilometres long'),
    ('晚上可以进实验室吗？', 'The laboratory is locked from eight in the evening',
     'The kitchen is open all day'),
    ('谁负责维修机械臂？', 'Call Mrs. Lindqvist when the arm needs repair',
     'Mr. Okafor collects the parcels at noon'),
)

ENGLISH_TO_CHINESE: tuple[Question, ...] = (
    ('how fast may I drive in the warehouse', '仓库里的最高速度是每秒零点五米', '仓库里一共有二十个货架'),
    ('where do I put empty boxes', '空箱子要放在后门旁边的架子上', '装满的箱子由工人搬走'),
    ('what should I do when the network is lost', '断网以后先停下，再回到上一个已知的位置', '断电以后灯会自动熄灭'),
    ('which shelf is too high for the arm', '最上面那层架子机械臂够不着', '最下面那层架子放着清洁用品'),
    ('why does the camera fail in the morning', '早上阳光从东窗射进来，相机会过曝', '晚上走廊的灯是暖色的'),
    ('is the ramp safe when it rains', '下雨时坡道太滑，不要走', '下雪时停车场会关闭'),
    ('who is allowed to open the medicine cabinet', '只有护士可以打开药柜', '医生每天早上八点查房'),
    ('the gripper makes a strange noise', '夹爪有异响时要给齿轮上油', '轮子要每个月检查一次'),
)

CHINESE_TO_CHINESE: tuple[Question, ...] = (
    ('工具箱在哪？', '工具箱在三号门左边', '三号门右边是饮水机'),
    ('在沙地上要注意什么', '沙子会卡住轮子，要慢行，不要急转', '草地每个星期修剪一次'),
    ('红色的箱子有多重', '红箱重十二公斤，要用双臂抬', '蓝箱是空的，可以单臂拿'),
    ('哪个门晚上锁着', '西侧的门夜里上锁', '东侧的门一直开着'),
    ('电量低怎么办', '电池低于百分之二十就返回充电', '温度高于六十度就停机散热'),
    ('怎么拿鸡蛋', '鸡蛋要轻轻夹，力不要超过两牛顿', '面包放在篮子里'),
    ('地图哪里不对', '楼梯附近的地图有误差，定位会漂移', '楼梯附近有一个垃圾桶'),
    ('病人在休息时可以说话吗', '病房午休时间保持安静，不要播放语音', '病房每天下午通风一次'),
)

QUESTIONS = {
    'asked in Chinese, learned in English': CHINESE_TO_ENGLISH,
    'asked in English, learned in Chinese': ENGLISH_TO_CHINESE,
    'asked and learned in Chinese': CHINESE_TO_CHINESE,
}
