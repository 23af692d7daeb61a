"""Word lists of the clause rules: function words, verbs that are not actions, shapes, nouns that are not food.

Cooking verbs, ingredients and tools come from the glossary; NOT_FOOD and the lists of shapes, measures, amounts and
states take words away from it.
"""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# the object stands before the verb
DISPOSAL = words("把 将 给")
# an instrument follows
INSTRUMENT = words("用 使用 配合 拿来 就着 拿着 利用 借助 以")
# a place follows
PLACE = words("在 于 往 向 从 朝 到 至 回 进 沿着 沿 隔着 顺着 靠")
# between nouns of a list
AND = words("和 跟 与 及 以及 或 或者 或是 还有 加上 外加 同 并 连同")
# alternatives
OR = words("或 或者 或是 要么 又或者")
# particles behind a verb or at the end
ASPECT = words("了 着 过 啦 咯 喽 吧 呀 啊 哦 哈 呢 喔 哟 噢 嘛 哒 呐")
# behind a noun: a place
LOCATION = words(
    """
    里 中 内 上 里面 中间 里边 内部 上面 上边 表面 之中 之上 当中 边上 底部 周围 四周 两面 正面 反面 背面
    边缘 底下 下面 下 旁边 外面 外 上方 中央 里头 锅边 两侧 底 面上 身上 全身
    """
)
# behind a verb: what follows is done afterwards
AFTER = words("后 以后 之后 过后 完后")
# behind a clause: it is background to what follows
DURING = words("时 时候 的时候 前 以前 之前 过程中 过程 同时 的同时 期间 途中 时间 时长")
# behind a verb: a result follows
UNTIL = words("至 到 得 直到 直至 到了 的 地")
# what follows is the product
PRODUCT = words("成 成为 变成")
# negation
NEGATION = words(
    """
    不 别 勿 未 没 没有 不要 不能 不用 不可 不必 无需 无须 不宜 不需 不需要 不会 不得 切勿 切忌 禁止 莫 请勿
    千万别 不是 不想 不喜欢 不敢 不加 没法 不再 不可以 不允许 从不 没必要 不建议 不推荐 忘记 忘了 忘 防止
    避免 以免 以防 免得 省得 避 无法 是否 不太
    """
)
# ends the scope of a negation
RESTART = words("直接 就 而是 然后 接着 便 即可 才")
# the action is optional
MAYBE = words(
    """
    可 可以 也可 也可以 还可以 可选 亦可 可加 能 或许 随意 任意 随喜好 看个人 酌情 也行 可适当 可根据 可用
    建议可以
    """
)
# the action is not optional
SURELY = words("即可 就可以 就可 便可 方可 才可以 才能 才可 就能 便可以 就行 就好 就可以了 即能")
# words in which a verb or a food would be found wrongly
HALVES = words(
    """
    冷冻室 冷藏室 剁椒 炸粉 炸鸡 拌饭 拌面 煎蛋 蒸蛋 炖汤 烤肉 炒料 打卤 做好 出品 似的 下半 上半 下半段 上半段
    小泡 大泡 小泡泡 消泡 留香 加压 加压阀 蒸发 调节 下部 上部 一起来 的话 就是说
    """
)
# conditions: if; for those who like it
CONDITION = words(
    """
    如果 若 若是 如 要是 假如 倘若 如需 如要 万一 除非 喜欢 喜 爱吃 爱 想吃 想要 不喜欢 不爱 不怕 怕 嫌
    个人喜欢 喜好 怕辣 有条件 的话
    """
)
# in order to
PURPOSE = words(
    """
    来 以便 便于 方便 为了 为 以 用来 用于 好让 有助于 有利于 利于 易于 容易 适合 帮助 足以
    """
)
# causatives
CAUSE = words("让 使 令 使得 叫 致使 导致")
# reasons and opinions
REMARK = words(
    """
    因为 由于 否则 不然 要不然 所以 因此 毕竟 原因 觉得 感觉 认为 据说 其实 虽然 虽说 但是 可惜 比如 例如
    比较 据 原来 总之 记得上次 发现 听说 以为 难怪
    """
)
# copulas and comparisons
COPULA = words("是 就是 即是 属于 叫做 等于 比 像 好像")
# people: what they do is a report, not an instruction
PEOPLE = words(
    """
    我 俺 本人 小编 老公 老婆 妈妈 爸爸 婆婆 奶奶 外婆 孩子 宝宝 儿子 女儿 朋友 他 她 他们 她们
    大家 别人 家人 先生 老爸 老妈 妈 娃 宝贝 同学 厨师 师傅 商家 卖家 老板 店家 摊主 人家 谁
    """
)
# wait until
SUBORDINATOR = words("待 等 等到 等待 稍等 等候 等着")
# measure words, behind a number
MEASURES = words(
    """
    克 毫升 升 斤 两 公斤 千克 毫克 个 只 条 根 颗 粒 块 片 朵 棵 头 瓣 勺 匙 杯 碗 滴 撮 点 些 点儿 一点 张
    份 袋 包 盒 罐 瓶 锅 盆 盘 层 节 段 汤匙 茶匙 大勺 小勺 汤勺 茶勺 调羹 小把 把 大把 小块 大块 小碗 大碗
    小杯 大杯 半碗 小撮 小段 小半 厘米 毫米 公分 分 分钟 秒 秒钟 小时 钟头 钟 天 夜 晚 晚上 会 会儿 下 次 遍
    道 度 成 倍 半 刻钟 枚 尾 株 束 支 丢丢 丝 圈 串 种 样 面 刀 碟 壶 桶 盅 滴滴 g kg ml l cm mm min s h
    克左右 粒粒 格 档 瓢 抹 坨 团 捧 扎 捆 件 副 对 双 人 位 铲 卷 打 筒 缸 听 板 排 朵朵
    """
)
# amounts, before a noun or behind it
AMOUNTS = words(
    """
    适量 少许 少量 些许 若干 一些 一点 一点点 一点儿 点点 少少 多少 许多 很多 大量 多 少 全部 所有 一半 半
    部分 一部分 剩余 剩下 其余 其他 另外 每 每个 各 各种 几 数 整 整个 足量 足够 均 双 两 一 二 三 四 五 六
    七 八 九 十 百 千 万 零 〇 俩 仨 第 约 大约 大概 左右 上下 以上 以下 多个 一会 一会儿 一下 片刻 一丢丢
    半天 一夜 一晚 隔夜 过夜 一段时间 一阵 适当 适度 大半 小半 半个 余 多余 等 等等 之类 之一 几个 几下 许
    这些 那些 这个 那个 这 那 某 该 自己 上述 下列 同样 任何 凉凉
    """
)
# cuts and shapes
SHAPES = words(
    """
    丝 末 片 丁 段 块 粒 蓉 茸 泥 碎 圈 条 沫 花 滚刀块 滚刀 小块 小段 小片 小丁 小条 薄片 厚片 细丝 碎末
    块状 片状 条状 丝状 粒状 小粒 细末 大块 大段 大片 斜片 斜段 斜刀 厚块 方块 小方块 长条 细条 圆片 寸段
    菱形 菱形片 花刀 十字花刀 十字 十字刀 一字刀 口子 刀花 麦穗花刀 小朵 朵 瓣 半 两半 圆形 长段 颗粒 小颗粒
    粉末 丝丝 片片 段段 碎碎 碎丁 碎粒 节 大小 形状 大丁 薄块 薄丝 半圆 丁状 末状 细碎
    """
)
# states that food reaches
STATES = words(
    """
    热 凉 熟 软 温 烫 透 黄 焦 干 冷 开 香 浓 稠 烂 浓稠 粘稠 黏稠 软烂 断生 变色 变软 变黄 变白 变红 变
    发白 发黄 金黄 微黄 焦黄 微焦 泛白 半熟 全熟 七成熟 八成熟 透明 入味 冒烟 冒泡 起泡 出味 飘香 温热 滚烫
    成熟 熟透 热透 凉透 冷透 差不多 蓬松 起锅 发亮 紧实 收缩 变形 收 收好 收浓 收完 收紧 收得 没了 微微热
    起皮 起皱 糊 化 散 熟烂 酥烂 酥 脆 嫩 热腾腾 升温 滚开 大开 卷曲 张开 开口 成型 成形 变透明 变稠 出香
    微热 半透明 翻滚
    """
)
# complements of one character, joined to the verb
RESULTS = words(
    """
    好 完 熟 香 软 透 开 干 净 匀 散 碎 烂 化 黄 焦 上 入 进 出 起 掉 去 满 住 紧 平 薄 断 破 回 尽 光 足 湿
    扁 细 松 实 稠 浓 脆 酥 嫩 稳 齐 遍 走 成 短 除 沸 厚
    """
)
# longer complements, and directions
LONG_RESULTS = words(
    """
    干净 均匀 完毕 完成 出来 起来 进去 进来 下去 上去 过来 过去 出去 回来 下来 上来 回去 到位 充分 入味 断生
    变色 金黄 完 整齐
    """
)
FLASH_FRYING = frozenset("爆煸炝")
# second characters of verb compounds: 翻炒, 焯烫
COOKING_SECOND = frozenset("炒煮炖烧焖蒸炸煎拌打烤烫洗揉捏压匀制取煸卤熬煨烩酿滚冲擦搓渍泡炝灼汆发筛转")
# changes that food undergoes by itself: results behind 至
CHANGES = words(
    """
    融化 溶化 溶解 化 沸腾 煮沸 沸 开 水开 滚 上色 凝固 收汁 收干 吸收 软化 冷却 定型 出 出来 减少 混合 融合
    熟 发 发酵 发泡 解冻 分离 分开 密封 烧开 晾干 吸干 沥干 挂 干 翻 卷 起 沾 裹
    """
)
# verbs without an object behind them
INTRANSITIVE = words(
    """
    切片 切块 切丝 切段 切条 切丁 切末 切沫 切成片 切成块 切粒 焯水 去皮 削皮 加水 放水 烧水 水开 关火 开火
    装盘 摆盘 盛盘 出锅 调味 备用 待用 收汁 收口 和面 上色 加盖 泡水 沸腾 定型 炒菜 过滤 冷却 过水 焯一下
    收干 开锅 冷藏 冷冻 密封 解冻 发酵 预热 凝固 软化
    """
)
# of these, verbs that may have one if none stands before them: 预热烤箱
EITHER_SIDE = words("预热 密封 解冻 过滤")
# verbs of taking away
REMOVING = words(
    """
    去 去掉 去除 切去 切掉 剪 剪掉 摘 刨 剥 削 抽 挑 除 刮 挖 取 掐 撕 撕去 拔 拔掉 剔 剪去 切 剁 剔除 除去
    摘掉
    """
)
# what is taken away
PARTS = words(
    """
    头 尾 根 皮 核 籽 叶 脚 骨 筋 芯 心 壳 膜 线 蒂 梗 指甲 根部 尾部 头部 鳞 腮 鳃 内脏 瓤 老叶 头尾 柄 边
    刺 须 虾线 屎 黑线
    """
)
# verbs of adding
ADDING = words(
    """
    加 放 倒 下 入 加入 放入 倒入 下入 添 添加 撒 淋 打入 加上 加点 撒上 撒入 淋上 淋入 铺 铺上 浇 滴
    """
)
# first characters of verbs that act on everything in the pan
MIXING = frozenset("翻拌搅抓腌混调熬煲炖焖煮揉打")
# behind another noun, the head of the phrase: 生粉水
HEAD_LIQUIDS = words(
    """
    水 汁 汤 芡 酱 糊 浆 料 汤汁 酱汁 料汁 油 粉 面 调料 酱料 馅 馅料 饭 材料 食材 皮 肉 碎 末
    """
)
# vessels that serve as measures
VESSELS = words(
    """
    勺 匙 碗 杯 盘 锅 瓶 盆 罐 壶 袋 盒 碟 桶 汤匙 茶匙 勺子 汤勺 茶勺 小勺 调羹 大碗 量杯 饭勺 瓷勺 炒勺 铲
    杯子 纸杯
    """
)
# verbs that glossaries tend to lack, or that are not actions
OTHER_VERBS = words(
    """
    拍 拍碎 拍扁 拍松 拍烂 塞 塞入 填 填入 酿 煨 卤 起锅 勾芡 收汤 沥水 铺 铺在 铺满 垫 垫底 留 留底 剩 有
    会有 含 看 变 变成 没过 漫过 盖过 淹没 浸没 坐锅 热锅 热油 起油锅 置 置于 放着 改 改刀 改成 改用 配 配以
    配上 搭配 选 选用 选择 买 买来 购买 吃 食用 享用 品尝 尝 尝尝 喝 端 端上 端出 上桌 上碟 上菜 上锅 上笼
    上汽 开吃 颠勺 颠锅 飞水 绰水 淖水 焯过 炝 炝锅 爆锅 滑 滑油 滑入 滑炒 滑锅 烘 烘干 焗 煸透 卤制 碾 碾碎
    磨 磨碎 砸 敲 敲碎 扎 戳 刺 划开 片成 片下 杀 杀好 斩块 改花刀 打花刀 刷锅 洗锅 开背 开膛 留出 剩下 拨
    拨到 推 推到 移 移入 转移 提味 提鲜 增香 增鲜 提香 点 去腥 去味 除腥 杀菌 解腻 糊锅 粘锅 糊底 粘底 溅
    加工 掏 掏空 掰断 择 择洗 摘 拔 掐 捆 绑 系 缠 扎紧 串 穿 排 排列 码 码放 码入 码好 拼 搁 搁置 静置 醒
    醒发 饧 回温 放凉 放冷 晾 晾凉 晾晒 摊 摊开 摊凉 挥发 渗出 渗 流出 冒 起泡 冒泡 冒烟 冒气 变色 变软 断生
    入味 试试 试 尝试 根据 依据 按 按照 参考 决定 控制 注意 小心 保持 维持 继续 开始 进行 完成 搞定 大功告成
    结束 接 接着 接触 需要 要求 建议 推荐 提醒 知道 记住 介绍 拍照 分享 上传 使出 逼出 析出 淹 漂 漂洗 漂净
    漂烫 灼 涮 捏紧 攥 攥干 拧 拧干 绞 绞碎 打成 稀释 泄开 澥开 化开 勾 勾兑 兑好 匀开 摇 摇匀 晃 晃动 剔除
    剔 清除 清理 沥油 沥 码味 点入 磕入 刻入 揉入 溜入 铲入 拨入 磕 敲入 弄 弄掉 弄好 弄成 弄碎 烹 烹入 烹上
    封 封好 封上 封口 密闭 颠 甩 甩干 收火 熄火 熄 调至 设定 设置 定时 通电 按下 启动 研磨 粉碎 打磨 榨 榨汁
    浸润 滋润 包好 露 露出 闻 闻到 听 听到 看到 见 见到 达到 超过 保留 弃 丢弃 扔 扔掉 扔进 丢 丢进 丢入
    送入 送进 架 架起 支起 靠边 竖
    """
)
# adverbs
MANNER = words(
    """
    刚好 正好 恰好 基本 刚刚 先 再 就 也 都 还 又 才 便 即 最后 然后 接着 随后 首先 其次 此时 这时 同时 继续
    一起 一同 一块 分别 各自 依次 逐个 慢慢 轻轻 均匀 充分 反复 不断 不停 不停地 不时 时不时 来回 快速 迅速
    马上 立刻 立即 大火 小火 中火 中小火 中大火 旺火 文火 微火 慢火 猛火 武火 转圈 稍 稍微 略 略微 稍稍 提前
    事先 预先 之前 刚才 已经 已 刚 另 另外 另起 单独 尽量 一定 务必 记得 必须 需 需要 应 应该 要 得 开始
    顺时针 逆时针 同一方向 隔水 全程 中途 期间 直接 完全 彻底 大致 再次 重新 第一次 第二次 次日 第二天 趁热
    快 多 少 好 仔细 小心 简单 随便 手动 朝一个方向 一边 边 用力 适时 必要时 一次性 全部 最好 接下来 下一步
    紧接着 大力 高火 低火 至少 总共 共 一共 方 仅 只 用心 双面 两面 一面 另一面 正反面 待会 等会 一会 稍后
    继而 随即 尤其 特别 相互 互相 一齐 齐 先后 之后
    """
)
# nouns that glossaries list although they are not food
NOT_FOOD = words(
    """
    火 炉火 火力 火候 明火 余火 旺火 大火 小火 中火 文火 小小火 人 手 双手 手指 手心 手掌 手感 手工 一手
    拳头 拇指 颜色 色 色泽 红色 白色 绿色 黄色 黑色 紫色 粉色 金黄色 棕色 褐色 浅色 肉色 酱色 味 味道 口味
    香味 香气 风味 气味 味儿 腥味 异味 膻味 酸味 甜味 苦味 辣味 咸味 淡味 鲜味 清香 酒味 蒜味 姜味 盐味 果味
    奶味 腥 口感 甜度 辣度 咸度 酸度 咸淡 口 嘴 嘴巴 入口 胃口 食欲 肚子 胃 牙 牙齿 舌头 眼 眼睛 鼻子 时
    时候 时间 时长 时令 季节 全程 中途 期间 天 天气 常温 室温 高温 低温 温度 水温 油温 热量 湿度 度 分量
    份量 用量 量 水量 总量 数量 比例 重量 体积 容量 大小 长度 厚度 宽度 高度 硬度 稠度 浓度 程度 直径 面积
    个人 个 人数 人份 一人份 一人 两人 三人 自己 宝宝 孩子 小孩 小朋友 大人 老人 婴儿 孕妇 朋友 家人 老公
    妈妈 爸爸 奶奶 婆婆 外婆 女儿 儿子 太太 家庭 全家 厨师 厨友 吃货 懒人 新手 大厨 妹子 姑娘 阿姨 老师 同学
    身体 皮肤 话 事 情 情况 状态 效果 过程 步骤 做法 方法 办法 方式 技巧 秘诀 顺序 程序 教程 配方 方子 原方
    用法 手法 法 工具 厨房 店 超市 菜场 菜市场 市场 市 家 家里 地方 位置 部位 部分 部 主体 种类 品种 类 种
    东西 物 品牌 牌子 牌 图 图片 如图 下图 照片 视频 内容 版 版本 名字 名称 意思 字 文字 备注 小贴士 贴士
    来源 封面 心情 心 爱心 心意 样子 感觉 习惯 喜好 爱好 需求 要求 标准 关键 重点 精髓 灵魂 创意 质量 品质
    营养 功效 成分 含量 能量 热气 见方 空气 蒸汽 水蒸气 气 烟 光 阳光 风 钱 包 花 宝 毛 卡 笔 表 码 头 底 边
    边缘 角 线 网 圈 洞 孔 缝 口子 纹路 纹理 花纹 形状 形 造型 卖相 颜值 图案 表面 正面 反面 背面 上层 下层
    底层 中层 顶层 表层 外层 夹层 一层 两头 中间 中段 中心 尾端 身 根 段 片 丝 丁 块 条 粒 团 球 圆 沫 泡沫
    泡泡 气泡 水泡 浮沫 血沫 血水 血 脏东西 杂质 土 沙 沙子 泥沙 渣 残渣 膜 小滴 水汽 键 模式 功能 档 火档
    电 电源 水龙头 微波 车 床 桌 早餐 午餐 晚餐 早饭 午饭 晚饭 餐 饭店 菜谱 食谱 菜单 作品 大作 生活 生日
    家常 农家 快手 经典 特色 特产 健康 减脂 减脂期 减肥 低脂 低卡 胖子 一份 一品 一把 大片 小片 大个 个头
    个子 大号 中号 小号 巴掌 指头 手套 薄薄 厚厚 装饰 包裹 装饰物 平底 圆形 方形 条状 块状 片状 糊状 泥状
    粉状 颗粒 颗粒状 粘稠度 粘度 筋 弹性 韧性 麻 金 青 白 红 黑 黄 绿 明 士 基 子 儿 仔 王 温 高 木 竹 云 海
    河 湖 山 石 石头 龙 虎 狗 猫 马 兔 蛇 家乡 农村 一天 大家 网友 心得 经验 问题 原因 作用 用途 目的 意义
    结果 成果 文 版面 目 神 值 利 劲 力 风格 水性 水面 水位 毫升水 顶部 周边 四周 外壳 物料 半成品 原材 尖
    尖头 头尾 脆皮 干性 固体 液体 液态 固态 大海 天然 有机 无糖 低糖 高糖 甜食 主食 饮食 零食 餐厅 食堂 大卡
    卡路里 比重 净重 规格 产地 市面 节 季 冬 夏 春 秋 雪 雨 霜 夜 早上 晚上 中午 下午 植物 动物 物质 元素
    酸甜度 三分 大一 高中 课 版主 飞水 沥水 去骨 剔骨 煎鱼 油泡 增香 水发 红烧 麻辣 香辣 酱爆 干煸 清炒 清蒸
    拔丝 生 熟 半 双 五香 小包 包包 口径 一头 糊 里 外 内 皮屑 全液 花刀 刀块 滚刀块 五官 主角 天使 魔鬼
    美人 仙人 皇帝 皇后 公主 童子 大师 钢 铁 不锈钢 陶瓷 玻璃 金属 塑料 铝 铝箔 炭 木炭 柴火 蜡烛 石灰 手机
    电话 电脑 机会 具体 具有 分布 老板 盆友 布朗尼 棒 棒棒 棒棒哒 神器 刀功 刀工 光盘 交叉 薄膜 量米 功夫
    本事 力气 劲道 筋道 快乐 幸福 色素 肉眼 手皮 头皮 小台 指甲盖 干湿度 稠稀 份 三个人 两个人 俩人 四人
    家伙 多肉 多功能 油渍 口气 液 外表 全身 枪 姐 秘方 长方形 餐桌 桌上 桌子 桌面
    """
)
NUMERALS = frozenset("0123456789一二三四五六七八九十百千万半两几数零〇½¼¾⅓⅔俩仨")
# a verb and its object in one word
WHOLE_VERBS = words("出锅 出炉 出笼 装盘 摆盘 盛盘 翻面")
# first characters of verbs whose object is a vessel
OPENERS = frozenset("出开装摆盛上下入回加盖起")
# a first character that belongs to a measure or shape before the word
BAD_FIRST = frozenset("克片滴个末丁段丝粒量头升袋把勺碗")
# with 浆 or 糊 behind them a batter, not an action
STARCHES = frozenset("粉面米豆蛋")
BATTERS = frozenset("浆糊")
# foods of one character that end longer names
HEADS = words(
    """
    鱼 虾 肉 菜 油 水 粉 酱 汁 汤 糖 盐 醋 酒 茶 面 豆 瓜 菇 椒 葱 蒜 姜 菌 蛋 鸡 鸭 鹅 笋 薯 皮 骨 饭 饼 糕
    茄 藕 果 枣 奶 蟹 贝 螺 蛤 肠 丸
    """
)
# words of jieba's dictionary that join the end of one word to the start of the next: 水烧 in 锅中水烧开
BLOCKED = words(
    """
    开放 放开 后备 中加 火烧 热加 水泡 可不 入适量 下盐 上火 内加 内放 后加 后放 后倒 再加 再放 中放 里加
    里放 水烧 水煮 油炒
    """
)
# characters for cuts, behind a food: 葱段
CUTS = frozenset("丝末片丁段块粒蓉茸泥碎圈条沫瓣")
# manners before the verb in words of jieba's dictionary: 凉拌
BARE_MANNER = frozenset("火凉横斜油热再先干慢快竖对小")
# verbs that switch heat: 开火
SWITCHES = frozenset("开关停转")
# conditions whose own verb is not an action
SUPPOSING = words("如果 若 若是 如 要是 假如 倘若 万一 除非 怕 嫌 不怕 喜 怕辣")
# adjectives before a food
TASTES = words(
    """
    底 新鲜 鲜 干 嫩 大 小 老 生 熟 热 冷 凉 温 细 粗 长 短 厚 薄 整 好 干净 自制 自然 优质 普通 硬 软 甜 辣 酸
    咸 的
    """
)
# effects: they do not take the nouns before them
TASTING = words(
    """
    提味 提鲜 增香 增鲜 提香 点 去腥 去味 除腥 解腻 入味 杀菌 断生 变色 变软 冒烟 冒泡 起泡 粘锅 糊锅 粘底
    糊底
    """
)
# verbs of advice: their object is no ingredient of an action
GUIDES = words(
    """
    根据 依据 按 按照 注意 小心 保持 维持 继续 开始 进行 需要 要求 建议 提醒 记住 知道 控制 决定
    """
)
# verbs whose object the next verb may take: 留少许油爆香
EXISTENCE = words("有 会有 留 剩 留底 剩下 留出 热油 起油锅 含 热锅 坐锅 买 买来")
# words that begin a relative clause
RELATIVE_ADVERBS = words("刚才 刚刚 事先 提前 预先 已经 之前 先前 早已 清水 刚 所 用 没 未 不 自己 家里 被")
# directional complements, behind a verb
DIRECTIONS = words("出来 起来 进去 下去 过来")
# smells and tastes: to take them away is an effect, not an action
SMELLS = words("腥 腥味 异味 膻味 味 味道 怪味 苦味 臭味 油腻 涩味 辣味 酸味 土腥味 生味 豆腥味 酒味")
# behind 做, which is then not an action
METHODS = words("方法 过程 步骤 工作 好 了 时间 出来 的")
# verbs that are actions only in some contexts; see verbs.CONDITIONS
AMBIGUOUS_VERBS = words("滴 做 开 关 停 转 去 出 下 入 过 发 分 化 滚 沸 制 备 刻 用 待")
# objects of 开, 关, 转
SWITCHED = words(
    """
    火 大火 小火 中火 中小火 中大火 文火 旺火 微火 慢火 盖 锅盖 盖子 火力 中 大 小 至 到 成 为 微
    """
)
# objects of 下 that glossaries lack
UNLISTED_FOOD = words("料 底油 底料")
# last characters of verbs whose food needs nothing more
COMPLETED = frozenset("好完净熟软干碎断片段丝丁块匀末")
# cooking media
MEDIA = words("油 水 清水 食用油 植物油 花生油 菜油 橄榄油 底油")
# behind these verbs 盖 is a lid
LIDDED = words("开 打开 揭开 掀开 盖 盖上 盖好 盖紧")
# verbs of covering: what is cooked under the lid has a verb of its own (盖盖焖)
COVERING = frozenset("盖")
# a verb and its oil; 热油 is also a noun
HEATED = words("热油 起油锅")
# first characters of verbs that pour the noun before them: 热油浇在鱼上
POURING = frozenset("淋浇泼")
# and, or together with
WITH = words("和 与 跟 同")
# words that end a comparison
ALIKE = words("似的 一样 那样 般 一般")
# parts: behind a food, the head of the phrase: 土豆皮
PART_HEADS = words("皮 壳 根 籽 核 骨 骨头 外皮 表皮")
# parts that stand for the food before them: 鸡脚
BODY_PARTS = words("叶 梗 杆 茎 头 脚 爪 腿 翅 尾 背 身 胸 肚 掌 脖 颈")
# waste: with a food before it, the phrase names no food
WASTE = words("须 枪 线 脑 囊 腺 刺 鳃 腮 筋 蒂 芯 心 屎 肠 膜 毛 血 沫 泥 沙")
# last characters of words for qualities
ABSTRACT_ENDS = "形状度率性者色"
# exceptions, which are food
SAUCE_COLOURS = words("糖色")
# first characters of names of dishes
DISH_VERBS = frozenset("炒炖煮蒸煎炸烤拌焖烧卤")
# joined in one word they are a list: 葱姜
AROMATICS = frozenset("葱姜蒜盐糖醋")
# say that the dish is ready
CLOSING = words("做好 做成 出品 完工")
# may say the same
DONE = words("完成 搞定 大功告成")
# before 面, which is then a side
SIDES = words("两 双 正 反 每 各 另 一 四 单")
# behind a verb: a remark on doing it too long
LONG = words("久 太久 久了 老 过头 过久 多久 时间")
# verbs for which water before them is the medium
WATER_VERBS = frozenset("泡浸焯煮冲洗烫汆漂蒸氽")
# units, with which no food begins
UNITS = ("毫升", "毫克", "千克", "公斤")
# with 出 behind them, a product follows
DRAWING = frozenset("炒煸爆煎熬炸煮焖炖蒸烤揉打")
# begin an exception
EXCEPT = words("除 除了 除去 除开")
# end an exception
BESIDES = words("以外 之外 外")
# with 热 or 开 behind them a state
HEATABLE = words("油 水 锅 汤 油温 水温")
# verbs that are often the end of a word in no list
SUFFIXES = frozenset("制备刻用")
# characters for directions
PATHS = frozenset("上下进出起回")
