"""Words that mean the same, and words that mean the opposite, as far as checking a sentence needs them: a
short list, by hand.

What the dictionary's normal forms already bring together (スイレン and 睡蓮) is not listed. Each word is read
into index terms once; one that falls into several terms is known by all of them together."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import permutations

from shisho.language import irregular_verbs, kindred_words, near_words
from shisho.language.contrasts import ENGLISH_SETS, SETS
from shisho.language.synonyms import synonym_groups
from shisho.language.terms import tokenizer
from shisho.language.weights import LIGHT, STRONG
from shisho.language.word_groups import WordGroups, group_words, read_list, read_listed

_SAME = (
    "贈る 与える 授与;生かす 活用 利用;選ぶ 決める;解禁 許可 認める;立候補 出馬;目的 為;続く 次ぐ;"
    "知らせる 伝える 告げる 通知;やめる 中止 取り止める;直後 直ぐ;海上 海;地域 区域 地区 地方;暗い 暗闇;"
    "白い 白色 白;赤い 赤色 赤;青い 青色 青;黒い 黒色 黒;黄色い 黄色;茶色い 茶色;偽 偽り 嘘;事柄 事;後継 後任;"
    "光る 発光 輝く;現れる 登場;登場 出演 出る;求める 追求;広げる 展開;述べる 記す 書く 記述 記載;記す 記録;"
    "来訪 訪れる;訪問 訪ねる;観光 旅行;旅 旅行;宿泊 泊まる;滞在 留まる;留学 学ぶ;卒業 出る;入学 入る;合格 受かる;"
    "落選 敗れる;当選 選ばれる 選出;首位 一位 1位;優勝 勝つ;出場 出る 参加;所属 属する;移籍 移る;引退 退く;"
    "経営 営む 運営;営業 営む;勤務 勤める 働く;雇用 雇う;解雇 首;給料 賃金 給与;税金 税;予算 費用;投資 出資;"
    "融資 貸す;返済 返す;借金 借りる;寄付 寄贈 贈る;募集 募る;応募 申し込む;申請 申し込む 願い出る;登録 載せる;"
    "検査 調べる 調査;検討 考える;議論 論じる 話し合う 討論;会議 会合;決議 決定;合意 同意;締結 結ぶ;"
    "調印 署名 結ぶ;批准 承認;宣言 宣告;布告 宣言;独立 自立;占領 占拠;支配 統べる;降伏 降参;撤退 退く 引き揚げる;"
    "攻略 落とす;陥落 落ちる;爆撃 空襲;砲撃 撃つ;射撃 撃つ;暗殺 殺す;処刑 死刑;追放 追う;亡命 逃れる;"
    "逃れる 逃げる;捕虜 捕える;解放 放つ;釈放 解放;投獄 収監;訴訟 裁判;判決 裁く;犯罪 罪;違反 反する 破る;"
    "洪水 水害;地震 震災;火災 火事;噴火 爆発;爆発 破裂;崩壊 崩れる;倒壊 倒れる;沈没 沈む;墜落 落ちる;"
    "衝突 ぶつかる;転覆 覆る;行方不明 不明;救急 緊急;避難 逃げる;復旧 直す 復興;再建 建て直す;移築 移設 移す;"
    "観測 観察 見る;計測 測る 測定;計算 算出 求める;推計 推定;予測 予想;実証 証明 確かめる;証明 示す;仮定 仮説;"
    "理論 説;研究 調べる;開発 作る;発明 考案;設計 デザイン;試作 試す;改良 改善;応用 用いる;採用 用いる;"
    "溶解 溶ける;蒸発 気化;凝固 固まる;沸騰 沸く;結晶 固体;反応 作用;合成 作る;分解 分ける;燃料 燃やす;発電 電気;"
    "充電 電気;電力 電気;回転 回る;振動 揺れる;落下 落ちる;浮遊 浮く;沈殿 沈む;吸収 吸う 取り込む;排出 出す;"
    "放出 出す 放つ;分布 生息 住む;生息 住む 棲む;繁殖 増える;産卵 卵;孵化 かえる;死滅 死ぬ;絶滅 滅びる;"
    "捕食 食べる;冬眠 眠る;成熟 熟す;開花 咲く;枯死 枯れる;発芽 芽;成人 大人;幼児 子供;赤ちゃん 乳児;高齢 老いる;"
    "両親 父母 親;祖先 先祖;子孫 末裔;家族 家庭;夫婦 夫妻;友人 友達;仲間 同僚;相棒 パートナー;弟子 門下生;"
    "師匠 先生;君主 王;領主 主;武将 将軍;兵隊 兵;貴重 珍しい;豊富 豊か 多い;不明 分からない;特別 特殊;"
    "独特 独自 特有 固有;共通 同じ;全般 全体;個別 別;別 他 別々;最近 近年;近年 最近;今日 現在 現代 今;将来 今後;"
    "昔 かつて 以前;当時 その頃;同年 同じ年;毎年 年々;毎日 日々;直前 前;直後 後;早朝 朝;深夜 夜中;午前中 朝;"
    "文章 文;論文 論;記事 文;見出し 題;台詞 言葉;演説 話す;講演 話す;講義 授業;質問 問う 尋ねる;回答 答える 答え;"
    "返事 答える;連絡 知らせる;報告 知らせる;案内 導く 誘導;命令 命じる;指示 命じる;依頼 頼む;約束 契約;"
    "scientist researcher;film movie;street road;town city;firm company corporation;staff employee worker;"
    "boss chief head;kid child;woman lady;man guy;illness disease sickness;medicine drug;injure hurt wound;"
    "study research;test examine examination;choose select pick;change alter modify;keep retain maintain;"
    "remove delete;add append;ask inquire request;answer reply respond;try attempt;stop halt cease;"
    "allow let permit;explain describe;think believe;know understand;see notice observe;happen occur;"
    "appear emerge;grow expand;reduce cut lower;improve enhance;large huge;rich wealthy;clever smart;"
    "famous known;main primary major chief;whole entire;near close;far distant;often frequently;quickly rapidly;"
    "near around;earlier previously before;win victory;lose defeat;fight battle war;attack assault;kill slay;"
    "protect defend guard;destroy demolish;collect gather;move relocate;travel journey trip;arrive reach;"
    "leave depart;return come_back;live reside;work operate;teach instruct;learn study;write author;"
    "publish release issue;"
    "含む 包括 含有;場面 状況 局面;わざと 意図的 意図 故意;翌年 翌;付ける 付与;段階 時期;南方 南;北方 北;東方 東;"
    "西方 西;少し 少量 僅か;巡らす 巡らせる;近く 近隣;合わせる 加える;被る 受ける;人々 人 人びと 住民;"
    "作る 設ける 置く;一度 一旦 一時;途中 中途;離れる 隔たる;叩き込む 教え込む;適する 適当 相応しい;"
    "最早 もう 既に;破棄 捨てる;気候 天候;目 眼;集まる 集合;拒絶 断る;急増 増える;急減 減る;激増 増える;"
    "微増 増える;微減 減る;下落 下がる 低下 落ちる;上昇 上がる 高まる 上げる;低下 下がる 落ちる 下げる;"
    "向上 高まる 上がる;高まる 増す;強まる 強化 強い;弱まる 弱い;軽い 軽度;重い 重度;早い 早期 初期;遅い 後期;"
    "古い 旧;広まる 普及 広がる 拡大;流行 広まる;衰える 衰退;栄える 繁栄;滅びる 滅亡 滅ぶ;滅ぼす 滅亡;沿う 沿い;"
    "基づく 基;従う 準拠;応じる 対応;向ける 向き;満たす 充足;備える 装備 搭載 備わる;"
    "持つ 備える 有する 所有 保有 有す;欠く 欠如 無い;表れる 現れる 出現;消える 消滅 消失;務める 就任 担当;"
    "就く 就任;辞める 辞任 退任;率いる 指揮;任命 任じる;選ぶ 選出 選定 選択;競う 競争;訴える 主張;"
    "認める 承認 認定;認められる 認定;裁く 裁判;罰する 処罰;守る 遵守;生産 作る 製造;栽培 育てる;飼う 飼育;"
    "捕る 捕獲 漁獲;採る 採取 採集;掘る 採掘 掘削;流れる 流出 流す;注ぐ 流入;降る 降水 降雨;吹く 送風;"
    "照らす 照射;温める 加熱;冷やす 冷却;混ぜる 混合;分かれる 分岐 分裂;分かる 判明 明らか;明らか 明白;隠す 秘匿;"
    "集める 収集 募る;配る 配布 配付;配置 置く;並ぶ 並べる 整列;囲む 包囲;繰り返す 反復;続く 継続 続ける;"
    "保つ 維持;組む 編成;組み合わせる 結合;繋がる 接続 結ぶ;通る 通過;渡る 横断;登る 登山;降りる 下車;乗る 乗車;"
    "着く 到着;出る 出発;発つ 出発;帰る 帰国;逃げる 逃走 脱出;追う 追跡;避ける 回避;助かる 救助;救う 救助 救出;"
    "救済 救う;死者 死亡者;けが人 負傷者;怪我 負傷;病 病気 疾患;治る 回復;治す 治療;診る 診察;薬 薬剤 医薬品;"
    "服用 飲む;投与 与える;副作用 副反応;患者 病人;疲れる 疲労;眠る 睡眠;喜ぶ 歓喜;悲しむ 悲嘆;怒る 憤る;"
    "恐れる 恐怖;驚く 驚愕;信じる 信仰 信頼;疑う 疑念;愛する 愛好;好む 愛好;嫌う 嫌悪;似る 類似;"
    "違い 差 相違 差異;最終 最後;最初 初;第一 最初;唯一 一つだけ;主に 主として;殆ど 大半 大部分;大半 多く 殆ど;"
    "半数 半分;全国 国全体;世界中 世界各地 全世界;各地 各所;至る所 各地;行事 催し;祭り 祭;音楽 曲;歌 歌う 歌唱;"
    "絵 絵画;本 書籍 書物 図書;新聞 紙;雑誌 誌;番組 プログラム;映画 映像;写真 画像;手紙 書簡;文字 字;"
    "言葉 語 言語;意味 意;名前 名称 名;題 題名 タイトル;値 数値;数 個数;倍 倍数;合計 計 総計;平均 均;"
    "最大 一番大きい;高所 高い所;海岸 沿岸;山地 山;河川 川;湖 湖沼;島 島嶼;森 森林;草 草木;花 開花;実 果実;"
    "種 種子;根 根元;葉 葉っぱ;政府 行政;議会 国会;大統領 元首;首相 総理;大臣 閣僚;国王 王;女王 クイーン;皇帝 帝;"
    "貴族 華族;市民 住民;農民 農家;商人 業者;労働者 作業員;学生 生徒;児童 子ども;若者 青年;理解 分かる;"
    "誤り 間違い 誤る 間違う;正しい 適切;必要 不可欠;充分 十分;不足 足りる;過剰 過多;可能 出来る;恐らく 多分;"
    "絶対 必ず;直接 じかに;互い 相互;自ら 自身 自分;各 其々;取り入れる 採り入れる;見付かる 発見;見付ける 発見;"
    "終結 終わる;終戦 終わる;勃発 起こる 始まる;発足 始まる 設立;結成 設立 作る;完成 出来る 竣工;竣工 完成;"
    "着工 始まる 着手;起工 着工;開館 開く 開業;閉館 閉じる;廃業 閉じる;閉鎖 閉じる 廃止;移行 移る;"
    "切り替える 変更;改正 変える 改定;修正 直す;訂正 直す;更新 改める;延長 延びる 延ばす;短縮 短い 縮める;"
    "縮小 小さい 縮む;拡大 大きい 広がる;倍増 倍;半減 半分;激しい 厳しい 強烈;厳しい 過酷;穏やか 温和;静か 静寂;"
    "明るい 明朗;暗い 陰気;速い 高速 素早い;遅い 低速;大量 多い 多量;少量 少ない;創業 設立 創設 創立 開設;"
    "開業 開通 開店;誕生 生まれる 出生;死去 亡くなる 死亡 死ぬ 没する 逝去;位置 所在;建設 建てる 建造 建築 築く;"
    "造る 作る 製造 製作 制作;呼ぶ 称する 呼称;実施 行う 行なう 実行;開催 催す 開く;使う 用いる 使用 利用 活用;"
    "含む 含める;凡そ 約 大体 概ね ほぼ 程度 頃;一番 最も;始まる 始める 開始 着手;初めて 最初 初;終わる 終える 終了;"
    "増える 増加 増す 伸びる 増大 増やす;減る 減少 減らす;異なる 違う 相違;同じ 同一;多数 多い 多く 沢山 大勢;"
    "難しい 困難;簡単 容易 易しい;大事 重要 大切;有名 著名 知られる;全て 全部 全体 全員 総て 皆 全 凡ゆる あらゆる 一切;"
    "幾つ 数個;"
    "購入 買う 購買;販売 売る 売却;取得 得る 獲得 手に入れる;受賞 受ける;授与 与える 付与;攻撃 攻める 攻め込む;"
    "侵入 侵攻 攻め込む;破る 撃破 打ち破る 勝つ 勝利;敗れる 負ける 敗北;逮捕 捕まえる;殺害 殺す;"
    "変更 変える 改める 改称;変わる 変化;止まる 停止 止める 中止;廃止 やめる 止める;確認 確かめる;発見 見つける;"
    "見つかる 発見;示す 表す 現す 表わす 意味;述べる 言う 語る 話す;考える 思う;住む 居住 暮らす;共同生活 同居;"
    "行く 訪れる 訪問;戻る 復帰 帰る 帰還;来る 渡来;伝来 伝わる 渡来;移る 移動 移転;移す 移転;移住 移り住む;"
    "運ぶ 運搬 輸送;送る 送信 送付;届ける 届く;渡る 渡航;広い 広大;広げる 拡げる 拡大 拡幅;狭い 狭小;"
    "小さな 小さい;大きな 大きい;巨大 大きい;長大 長い;近く 付近 近隣 近い 隣 隣接;周り 周辺 周囲;"
    "中 内部 内 内側;外 外部 外側;上側 上;下側 下;前方 前 前側;後方 後 後側;以前 前;以後 以降 後;"
    "当初 最初 初め 初期 先ず;最後 終盤 終わり;突然 突如 急に;急速 急激 急;直ぐ 即座 早期 早い;再び 再度 又;"
    "更に 一層;特に 取り分け 殊に;屡々 頻繁 よく;通常 普通 一般 普段;主 主要;例えば 例;原因 理由 要因 由来;"
    "結果 帰結;影響 作用;関係 関連;協力 連携;参加 加わる 加入;会員 メンバー;脱退 抜ける;結婚 婚姻;離婚 別れる;"
    "教える 指導;学ぶ 学習 勉強;研究者 学者;医師 医者;教師 教員 先生;著者 作者 筆者;著す 書く 執筆 著作;"
    "出版 刊行 発行;発売 販売;公開 公表 発表;提案 提唱;採用 採択 取り入れる;導入 移入 取り入れる;"
    "設置 置く 設ける;設定 定める 制定 決める 規定;決定 決める;禁止 禁じる;許可 許す;義務 必須 必要;"
    "要求 求める 要請;努力 努める;補佐 補助 助ける;支える 支援 援助 助ける;保護 守る;防止 防ぐ;破壊 壊す;"
    "修理 直す 改修;改善 良くする;悪化 悪くなる;溶ける 融ける;凍る 凍結;燃える 燃焼;飛ぶ 飛行;走る 走行;"
    "泳ぐ 遊泳;食べる 摂食 摂取;飲む 飲用;育つ 成長;住民 住人;男性 男 男子;女性 女 女子;子供 児童 子;老人 高齢者;"
    "米国 アメリカ アメリカ合衆国;英国 イギリス;欧州 ヨーロッパ;独 ドイツ 西ドイツ;仏 フランス;"
    "豪州 オーストラリア;eu 欧州連合;国連 国際連合;日本国 日本;中国 中華人民共和国;自動車 車 乗用車 車両;"
    "バイク オートバイ 単車;電車 列車;飛行機 航空機;船 船舶;自転車 サイクル;家 住宅 家屋;建物 建築物 建造物;"
    "道路 道;街 町並み 市街;駅 停車場;店 店舗;会社 企業 社;従業員 社員 職員;金額 額;費用 経費 コスト;値段 価格;"
    "収入 所得;売上 売上高;利益 収益;資金 金;余る 余剰 剰余;不足 足りない;超える 超 越える 上回る;未満 下回る;"
    "達する 及ぶ;占める 割合 比率;過ぎる 過ぎない;成立 成る;構成 成る;組成 構成;分類 分ける 区分;種類 種;"
    "特徴 特色;性質 性;能力 力;権利 権;権限 権;支配 治める 統治;王権 王;戦争 戦;戦う 争う;軍隊 軍;兵士 兵;"
    "遡る さかのぼる;起源 発祥 始まり;歴史 史;古い 昔;新しい 新;若い 新しい;正式 公式;無料 ただ;有料 料金;"
    "引き起こす 招く 齎す 起こす 生じる;生じる 起きる 起こる 発生;生き残る 生存;被災 被害;被害 損害;"
    "襲う 見舞う 襲来;大きい 甚大;反響 反応;受け入れる 受容;断る 拒否 拒む;望む 希望;急ぐ 急;待つ 待機;"
    "調べる 調査;試みる 試す;失敗 失う;成績 結果;並 平凡 平均;評価 評する;称賛 賞賛 褒める;批判 非難;賛成 賛同;"
    "反対 反する;隣 横;寒い 冷たい;暑い 熱い;面白い 興味深い;美しい 綺麗;掛ける 架かる;載る 載せる;乗る 搭乗;"
    "停まる 停める 駐車 駐機 停止 止まる;撮る 撮影;描く 画く;遊ぶ プレー;滑る 滑走;切る 切断;立つ 起立;"
    "座る 腰掛ける;持つ 所有 保有;着る 着用;被る 着用;履く 着用;見る 眺める 目撃 目にする;聞く 聴く;"
    "話し合う 協議;約束 誓う;壊れる 破損;失う 喪失;残る 残存 遺す;残す 遺す;繋ぐ 連絡 結ぶ;加える 足す 追加;"
    "除く 除外;置き換える 代える 替える;意図 わざと;意図的 わざと 故意;早期 早い;はるか 遥か;年間 年;年次 年;"
    "全長 長さ;高さ 標高;重さ 重量 質量;面積 広さ;人口 人数;buy purchase;begin start commence;end finish;"
    "big large;small little;increase rise grow up;decrease fall drop decline;found establish;"
    "make produce create manufacture;build construct;show demonstrate indicate;say state tell;"
    "use utilise utilize employ;need require;help assist aid;get obtain receive;give provide;car automobile;"
    "doctor physician;house home;connect link join;cause lead;scrutiny scrutinize;acquire buy;allege claim;"
    "approve accept;us america;uk britain;predict forecast;begin fuel;year annual;worry concern;some certain;"
    "species kind;over more;locate location;agree agreement;predict prediction;equivalent equal;originate origin;"
    "almost nearly;cost price;die death;bear birth;kill murder;fast quick rapid;difficult hard;"
    "important crucial significant;almost_always nearly_always"
)
_OPPOSITE = (
    "増える 減る;増加 減少;増やす 減らす;増大 減少;増す 減る;上がる 下がる;上げる 下げる;上昇 低下;上昇 下降;"
    "上昇 下落;向上 低下;拡大 縮小;広げる 狭める;伸びる 縮む;高い 低い;高まる 低まる;大きい 小さい;大きな 小さな;"
    "多い 少ない;多く 少し;多数 少数;長い 短い;強い 弱い;強化 弱化;広い 狭い;深い 浅い;重い 軽い;速い 遅い;"
    "早い 遅い;新しい 古い;若い 老いる;厚い 薄い;太い 細い;明るい 暗い;暑い 寒い;熱い 冷たい;暖かい 涼しい;"
    "温暖 寒冷;良い 悪い;良好 不良;改善 悪化;近い 遠い;近付く 遠ざかる;硬い 軟らかい;固い 柔らかい;濃い 薄い;"
    "難しい 易しい;困難 容易;安い 高い;安全 危険;可能 不可能;有利 不利;有効 無効;有害 無害;有料 無料;合法 違法;"
    "適法 違法;正しい 間違う;正確 不正確;十分 不十分;必要 不要;必要 不必要;完全 不完全;規則 不規則;公開 非公開;"
    "公式 非公式;直接 間接;積極 消極;肯定 否定;賛成 反対;支持 反対;支持 批判;称賛 批判;許可 禁止;認める 拒む;"
    "認める 否定;認める 禁じる;承認 拒否;承認 却下;受け入れる 断る;採用 却下;採択 否決;可決 否決;合意 決裂;"
    "成功 失敗;勝つ 負ける;勝利 敗北;勝 敗;勝つ 敗れる;攻撃 防御;攻める 守る;開始 終了;開始 停止;始まる 終わる;"
    "始める 終える;始める 止める;開く 閉じる;開ける 閉める;開業 廃業;開設 廃止;開設 閉鎖;設立 解散;制定 廃止;"
    "導入 廃止;継続 中止;続ける 止める;続く 終わる;起動 停止;入る 出る;入れる 出す;入学 卒業;入社 退社;入口 出口;"
    "加入 脱退;参加 離脱;就任 辞任;就任 退任;輸出 輸入;買う 売る;買収 売却;購入 販売;購入 売却;貸す 借りる;"
    "収入 支出;利益 損失;黒字 赤字;生産 消費;供給 需要;与える 奪う;与える 受ける;送る 受け取る;送信 受信;"
    "教える 学ぶ;教える 教わる;往 復;行く 来る;行く 帰る;到着 出発;着く 発つ;離陸 着陸;上陸 撤退;進む 退く;"
    "前進 後退;接近 離反;結婚 離婚;結合 分離;統一 分裂;統合 分割;合併 分割;集中 分散;建設 破壊;創造 破壊;"
    "生まれる 死ぬ;誕生 死去;誕生 死亡;生きる 死ぬ;生存 死亡;生 死;溶ける 固まる;凍る 融ける;膨張 収縮;加熱 冷却;"
    "加速 減速;酸化 還元;吸収 放出;上 下;上側 下側;上部 下部;上流 下流;上位 下位;上層 下層;上半 下半;前 後;"
    "前方 後方;前側 後側;前期 後期;前半 後半;前者 後者;以前 以後;以前 以降;直前 直後;事前 事後;左 右;左側 右側;"
    "左岸 右岸;内 外;内側 外側;内部 外部;国内 国外;国内 海外;屋内 屋外;室内 室外;表 裏;表側 裏側;東 西;東側 西側;"
    "東部 西部;南 北;南側 北側;南部 北部;北東 南西;北西 南東;北半球 南半球;縦 横;垂直 水平;陸 海;昼 夜;昼間 夜間;"
    "朝 夕;朝 晩;午前 午後;春 秋;夏 冬;夏季 冬季;夏期 冬期;過去 未来;過去 将来;最初 最後;初め 終わり;最大 最小;"
    "最高 最低;最多 最少;最長 最短;最古 最新;最新 最古;上限 下限;以上 以下;以上 未満;超 未満;超える 下回る;"
    "上回る 下回る;男性 女性;男子 女子;男 女;少年 少女;父 母;父親 母親;息子 娘;夫 妻;兄 弟;姉 妹;兄 姉;弟 妹;"
    "叔父 叔母;王 女王;親 子;大人 子供;先生 生徒;教師 生徒;医師 患者;与党 野党;敵 味方;原告 被告;加害 被害;"
    "加害者 被害者;売り手 買い手;雇用者 労働者;貸主 借主;主観 客観;絶対 相対;理論 実践;平和 戦争;戦時 平時;"
    "平日 休日;都市 農村;都会 田舎;先進 途上;富裕 貧困;豊か 貧しい;得意 苦手;好き 嫌い;好む 嫌う;愛する 憎む;"
    "喜ぶ 悲しむ;楽観 悲観;優れる 劣る;優位 劣位;同じ 異なる;同じ 違う;同じ 別;一致 相違;一致 矛盾;共通 相違;含む 除く;"
    "加える 除く;加える 引く;足す 引く;有 無;立つ 座る;寝る 起きる;動く 止まる;走る 歩く;走る 止まる;着る 脱ぐ;"
    "持つ 捨てる;晴れ 雨;晴れる 曇る;明確 曖昧;簡単 複雑;単純 複雑;単独 共同;単数 複数;個人 団体;公立 私立;"
    "国立 私立;公的 私的;民間 政府;人工 天然;人工 自然;天然 養殖;野生 飼育;乾燥 湿潤;乾く 濡れる;早期 晩期;"
    "満たす 欠く;増 減;昇 降;乗る 降りる;積む 降ろす;押す 引く;繋ぐ 切る;守る 破る;覚える 忘れる;信じる 疑う;"
    "促進 抑制;促進 阻害;促す 妨げる;強制 任意;義務 任意;義務 権利;必須 任意;固定 変動;不変 可変;常時 一時;"
    "永久 一時;恒久 暫定;正式 暫定;主 従;主要 副次;先 後;先発 後発;先攻 後攻;古代 現代;旧 新;陽性 陰性;"
    "プラス マイナス;正 負;奇数 偶数;動物 植物;哺乳類 爬虫類;液体 固体;液体 気体;白 黒;白い 黒い;赤 青;赤い 青い;"
    "原因 結果;西洋 東洋;雌 雄;メス オス;太陽 月;雇用 解雇;否認 認める;否認 自白;有罪 無罪;more less;more fewer;"
    "increase decrease;rise fall;rise drop;rise decline;grow shrink;gain lose;gain loss;profit loss;high low;"
    "higher lower;large small;larger smaller;big small;bigger smaller;great small;long short;longer shorter;"
    "strong weak;stronger weaker;early late;earlier later;fast slow;faster slower;old new;older newer;"
    "older younger;old young;hot cold;hotter colder;warm cool;rich poor;good bad;better worse;best worst;"
    "most least;maximum minimum;many few;much little;before after;first last;up down;above below;over under;"
    "inside outside;left right;north south;northern southern;east west;eastern western;upper lower;top bottom;"
    "front back;win lose;won lost;buy sell;bought sold;import export;accept reject;approve reject;allow forbid;"
    "allow ban;permit prohibit;support oppose;agree disagree;success failure;succeed fail;begin end;start stop;"
    "start end;open close;enter leave;join leave;arrive depart;hire fire;include exclude;male female;man woman;"
    "men women;boy girl;father mother;son daughter;husband wife;brother sister;king queen;he she;his her;"
    "teacher student;doctor patient;buyer seller;plaintiff defendant;guilty innocent;possible impossible;"
    "legal illegal;safe dangerous;necessary unnecessary;sufficient insufficient;direct indirect;public private;"
    "positive negative;optimistic pessimistic;advantage disadvantage;strength weakness;strengthen weaken;"
    "strengthened weakened;expand contract;accelerate decelerate;improve worsen;create destroy;build destroy;"
    "love hate;same different;similar different;day night;summer winter;spring autumn;morning evening;"
    "past future;cause prevent;promote inhibit;encourage discourage;dead alive;live die;birth death;born died;"
    "rose fell;rising falling;supply demand;parent child;internal external;domestic foreign;urban rural;"
    "major minor;majority minority;sit stand;run walk;sooner later;least most;at_least at_most;supported opposed;"
    "add remove;raise lower;raised lowered;lend borrow;send receive;teach learn;give take;push pull;full empty;"
    "heavy light;thick thin;wide narrow;deep shallow;easy difficult;easy hard;simple complex;true false;"
    "right wrong;always never;everyone nobody;everything nothing;both neither;with without;有る 無い;"
    "encourage deter;sleep wake;longest shortest;largest smallest;highest lowest;oldest newest;biggest smallest;"
    "fewest most;earliest latest"
)

_NONE = frozenset[int]()


@lru_cache(maxsize=1)
def read_same_words() -> WordGroups:
    return group_words(_SAME, ())


@lru_cache(maxsize=1)
def read_near_words() -> WordGroups:
    lists = (near_words, kindred_words)
    groups = (text for one in lists for text in (one.JAPANESE, one.ENGLISH))
    return group_words(";".join((*groups, irregular_verbs.FORMS)), read_list("everyday_words"))


@lru_cache(maxsize=1)
def _opposite() -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for opposed in f"{_OPPOSITE};{SETS};{ENGLISH_SETS}".split(";"):
        first, *others = (_join(word) for word in opposed.removeprefix("*").split())
        ordered = (
            permutations((first, *others), 2) if opposed[0] == "*" else ((first, other) for other in others)
        )
        for word, other in ordered:
            if word != other:
                pairs.setdefault(word, set()).add(other)
                pairs.setdefault(other, set()).add(word)
    return {term: frozenset(others) for term, others in pairs.items()}


@lru_cache(maxsize=1)
def _exclusive() -> dict[str, frozenset[str]]:
    starred = [group[1:] for group in f"{SETS};{ENGLISH_SETS}".split(";") if group.startswith("*")]
    others: dict[str, set[str]] = {}
    for group in starred:
        members = {_join(word) for word in group.split()}
        for member in members:
            others.setdefault(member, set()).update(members - {member})
    return {term: frozenset(words) for term, words in others.items()}


def _join(listed: str) -> str:
    return "".join(read_listed(listed)[0])


def find_exclusive(term: str) -> frozenset[str]:
    """The other terms of its kind, of which only one can be meant: colours, sizes, days of the week."""
    return _exclusive().get(term, frozenset())


def opposites(term: str) -> frozenset[str]:
    """Terms that mean the opposite."""
    return _opposite().get(term, frozenset())


@lru_cache(maxsize=100_000)
def mean_same(first: str, other: str) -> bool:
    """True where two terms mean the same here: written alike, in one group of this list or of the
    dictionary, a verb beside the noun made of its kanji, or a Latin word beside its reading."""
    if first == other:
        return True
    groups = read_same_words().of
    if not groups.get(first, _NONE).isdisjoint(groups.get(other, _NONE)):
        return True
    if other in opposites(first) or (first in STRONG) != (other in STRONG):
        return False
    near = read_near_words().of
    if not near.get(first, _NONE).isdisjoint(near.get(other, _NONE)):
        return True
    if not synonym_groups(first).isdisjoint(synonym_groups(other)):
        return True
    if _of_one_kanji(first, other) or _of_one_kanji(other, first):
        return True
    return _is_reading(first, other) or _is_reading(other, first)


def _is_reading(katakana: str, word: str) -> bool:
    """シルバー and Silver, by the dictionary's readings."""
    if not (_KATAKANA.fullmatch(katakana) and _LATIN.fullmatch(word)):
        return False
    return katakana.translate(_LONG) in _readings(word)


@lru_cache(maxsize=20_000)
def _readings(stem: str) -> frozenset[str]:
    """How a Latin term is read, and what it may be the stem of (cooki of cookie); long vowels left out."""
    words = {stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem}
    tokens = (tokenizer().tokenize(word) for word in words)
    readings = (word_tokens[0].reading_form() for word_tokens in tokens if len(word_tokens) == 1)
    return frozenset(reading.translate(_LONG) for reading in readings if _KATAKANA.fullmatch(reading))


_KATAKANA = re.compile(r"[ァ-ヶー]{3,}")
_LATIN = re.compile(r"[a-z]{3,}")
_LONG = str.maketrans("", "", "ー・")
_VERB = re.compile(r"([一-鿿])[ぁ-ん]{1,3}")
_PAIR = re.compile(r"[一-鿿]{2}")


@lru_cache(maxsize=20_000)
def _of_one_kanji(verb: str, noun: str) -> bool:
    """増える and 増加, 建てる and 建設: the noun is one that する makes a verb of."""
    match = _VERB.fullmatch(verb)
    # 興行 is no 行う, nor 形成 成る, nor 電話 話す.
    if match is None or verb in LIGHT or not _PAIR.fullmatch(noun) or match[1] not in noun or noun == "電話":
        return False
    return any("サ変" in token.part_of_speech()[2] for token in tokenizer().tokenize(noun))
