"""The pot and the bench (see `pot`), and the effect of each kind of verb on them."""

from collections.abc import Sequence

from wokflow.parse import kinds
from wokflow.parse import lexemes as lx
from wokflow.parse.doings import KitchenAction, distinct, is_part, left, mains, without
from wokflow.parse.kinds import COATINGS, Kind, aromatic, medium, mixed, oil, soft, watery
from wokflow.parse.kitchen_adds import Adding
from wokflow.parse.types import Mention


class Kitchen(Adding):
    """What verbs do to the two places.

    Each method `_<kind>` changes the state and returns the food that the action acts on.
    """

    def acts_on(self, doing: KitchenAction, later: Sequence[KitchenAction]) -> list[Mention]:
        """The food that an action acts on; `later` are the actions after it."""
        what = self._kind(doing)
        doing = self._blended(doing)
        self.name_mixture(doing)
        if what in (Kind.ADD, Kind.HEAT):
            self.change_vessel(doing.tools)
        if not self.at_pot:
            self.gather(doing.together)
        match what:
            case Kind.STOVE:
                acted = self._stove(doing)
            case Kind.DISCARD:
                acted = self._discard(doing, later)
            case Kind.EMPTY:
                acted = self._empty(doing, later)
            case Kind.TAKE:
                acted = self._take(doing, later)
            case Kind.ASIDE:
                acted = self._aside(doing)
            case Kind.HEAT:
                acted = self._heat(doing, later)
            case Kind.ADD:
                acted = self._add(doing, later)
            case Kind.MIX:
                acted = self._mix(doing)
            case Kind.PREPARE:
                acted = self._prepare(doing)
        self._remember(doing, what)
        return acted

    def _remember(self, doing: KitchenAction, what: Kind) -> None:
        """Keep what later actions need to know of this one; what was mixed goes on by its new name: 调成料汁."""
        if doing.product and not self.at_pot and mixed(doing.product) and len(self.bench) > 1:
            self.bench = [doing.product]
        self.added = self.just_added(doing) if what is Kind.ADD else []
        self.mixed_in = list(doing.foods) if what is Kind.MIX and self.at_pot else []
        self.prepared, self.just_taken = what is Kind.PREPARE, what is Kind.TAKE
        self.boils = self.boils and what in (Kind.HEAT, Kind.STOVE)
        self.left_over = doing.leaves
        self.apart = self.apart and not self.at_pot
        self.away = self.away or not self.at_pot

    def _kind(self, doing: KitchenAction) -> Kind:
        """The kind of the verb, which for some verbs depends on the place and on the named food."""
        what = kinds.kind(doing.verb)
        if doing.has_lid or (doing.verb == "转入" and not doing.tools):
            return Kind.STOVE
        if not doing.foods and not doing.tools and self.fries(doing.verb):
            return Kind.HEAT
        if doing.verb == "冲" and self.at_pot and self.pot and doing.foods and not doing.topics(doing.foods):
            return Kind.ADD  # 冲水 into the pot
        if what is Kind.DISCARD and not doing.foods and kinds.kind(doing.verb[:-1]) is Kind.TAKE:
            return Kind.TAKE  # 捞掉
        if what is Kind.EMPTY and doing.onto:
            return Kind.ADD  # 摆在粉丝上
        if what is Kind.PREPARE and doing.verb[0] in lx.STUFFING and doing.works_in and not self.at_pot:
            return Kind.ADD  # 包上培根, 卷黄瓜丝
        return what

    def _stove(self, doing: KitchenAction) -> list[Mention]:
        """The food at the place in use. A liquid left over is all that a pot holds after its food: 锅留底油."""
        if doing.leaves:
            cooks = self.at_pot and not all(map(soft, self.pot))
            self.pot = distinct([*(self.pot if cooks else ()), *doing.foods])
            self.at_pot, self.taken, self.away = True, False, False
        elif doing.inside and not (self.at_pot and self.pot):  # 油热, though nobody said to pour it
            self.into_pot(doing.inside)
            self.at_pot = True
        return self.pot if self.at_pot or doing.verb[0] in lx.SWITCHING else self.here()

    def _discard(self, doing: KitchenAction, later: Sequence[KitchenAction]) -> list[Mention]:
        """Named food is thrown away; of a part, the rest is acted on. Food not there yet is thrown in (扔葱花)."""
        acted, kitchen = self.here(), [*self.pot, *self.bench]
        if not doing.foods and doing.verb[0] in lx.THROWN and self.taken and not self.at_pot:
            self.bench, self.at_pot = [], True  # 捞出姜片弃用
            return acted
        thrown = doing.verb[0] in "扔丢" and doing.verb[-1] not in "掉弃了去"
        if thrown and doing.foods and len(without(kitchen, doing.foods)) == len(kitchen):
            return self._add(doing, later)
        whole = [food for food in doing.foods if not (is_part(food) or soft(food) or self.is_part(food))]
        topics = doing.topics(whole)
        topics = topics if len(topics) < len(doing.foods) else []  # 花生抖掉盐, but not 葱捡掉
        known = not self.bench or doing.topics(whole) or len(without(kitchen, whole)) < len(kitchen)
        flavours = doing.verb in lx.REMOVED and whole == list(doing.foods) and all(map(aromatic, whole))
        if flavours and left(self.here(), whole):  # 姜片去掉
            self.pot, self.bench = left(self.pot, whole), left(self.bench, whole)
        elif (doing.verb[0] == "去" and whole and known) or topics:
            self._prepare(doing._replace(foods=tuple(topics or whole)))
        elif kinds.kind(doing.verb[:-1]) is Kind.PREPARE:  # 搓掉皮, 鸡脚切掉
            self._prepare(doing._replace(foods=()))
            self.bench = left(self.bench, doing.foods) or self.bench
        else:
            self.pot, self.bench = left(self.pot, doing.foods), left(self.bench, doing.foods)
        return acted

    def _empty(self, doing: KitchenAction, later: Sequence[KitchenAction]) -> list[Mention]:
        """All food in the pot, or the named food wherever it is, leaves for a plate."""
        acted = self.bench if self.plated or self.taken or not self.pot else self.pot
        rest = without(self.pot, doing.foods)
        elsewhere = bool(doing.foods and self.pot) and len(rest) == len(self.pot)
        if doing.foods and not elsewhere and not all(map(soft, rest)):
            if len(without(self.pot, mains(doing.foods))) < len(self.pot):
                return self._take(doing, later)
            self.pot = rest
            return rest
        elsewhere = elsewhere or (self.taken and not all(map(aromatic, self.pot)))  # 捞出鸡蛋，装盘
        onto = 0 < len(without(doing.foods, self.bench)) < len(doing.foods)  # 粉丝上面摆虾
        served = self.plate_of(doing.foods) if onto else list(doing.foods) or acted
        self.pot, self.bench = rest if elsewhere else [], served
        self.at_pot = self.taken = False
        self.set_aside = self.plated = True
        return acted

    def _take(self, doing: KitchenAction, later: Sequence[KitchenAction] = ()) -> list[Mention]:
        """Named food, or else all solid food, leaves the pot. If there is none, the bench's leaves its liquid."""
        solid = [food for food in self.pot if not watery(food)] if self.bakes else mains(self.pot)
        if later and kinds.kind(later[0].verb) is Kind.DISCARD and not later[0].foods:  # 捞出丢掉
            solid = [food for food in self.pot if not soft(food)]
        flavours = self.taken and all(map(aromatic, solid)) and not all(map(aromatic, self.bench))
        if doing.foods and not self.pot:
            return self._prepare(doing)
        if not doing.foods and (not solid or flavours or self.apart):
            self.bench = mains([food for food in self.bench if not medium(food)]) or self.bench
            self.at_pot = self.at_pot and not self.bench
            return self.bench or [food for food in self.pot if not watery(food)]
        rest = without(self.pot, doing.foods or solid)
        aside = bool(later) and (later[0].onto or kinds.kind(later[0].verb) is Kind.ASIDE)
        if doing.foods and all(map(aromatic, doing.foods)) and not aside and len(rest) < len(self.pot):
            self.pot, self.at_pot = rest, bool(rest)  # 拣去葱姜: the cook stays at the pot
            return list(doing.foods)
        if len(rest) == len(self.pot):  # by another name: all of it
            rest = without(self.pot, solid)
        self.shelve(self.bench)
        self.pot, self.bench = rest, list(doing.foods) or solid
        self.at_pot, self.set_aside, self.taken = False, False, True
        return self.bench

    def _aside(self, doing: KitchenAction) -> list[Mention]:
        """Named food, or the food prepared last, is set aside, except water, to which food comes (准备半碗水)."""
        acted = self.here()
        self.before = []
        if doing.foods:
            joins = self.added and not self.at_pot and doing.verb[0] not in lx.FETCHING
            acted = self.bench = [*(self.bench if joins else ()), *doing.foods]
        elif any(map(kinds.heated, doing.tools)) and doing.verb[0] in lx.FETCHING:  # 另取一锅
            self.another_pot()
            return self.pot
        elif doing.tools and doing.verb == "取":
            self.bench = []
        elif self.at_pot and self.pot:
            self.bench, self.pot = self.pot, []
        self.to_bench()
        self.set_aside = not (doing.foods and all(map(watery, doing.foods)))
        return acted

    def _heat(self, doing: KitchenAction, later: Sequence[KitchenAction] = ()) -> list[Mention]:
        """The pot with what is named. If it has too little, the bench goes in."""
        turns = doing.verb in lx.TURNING or (doing.verb[:2] in lx.TOSSING and self.taken)
        if turns and not self.at_pot and self.bench:
            return self.bench  # taken out of the oven
        self.bakes = steams = kinds.steams(doing.verb)
        named = self._put_on_heat(doing, steams)
        if doing.verb[0] in lx.BLANCHING and self.away and self.taken:  # in fresh water
            self.pot = [food for food in self.pot if watery(food)]
        if self.away and self.holds_apart() and doing.in_other_water:
            self.to_bench()
            self.apart = True
            return self.bench
        if doing.verb[0] in lx.DRY and self.away:
            self.pot = [food for food in self.pot if not watery(food)]
        if self._puts_on_another(doing, named) and not (self.left_over and doing.verb in lx.FRESH):
            self.another_pot()
            self.pot = named
            return self.pot
        if "蒸" in doing.verb and self.bench and not (named or self.at_pot):  # a plate, in a pot of its own
            self.pot = []
        self.boils = bool(named) and all(map(watery, named)) and doing.verb in lx.HEATS_MEDIUM
        if named:
            self.into_pot(named, dry=doing.verb[0] in lx.DRY)
        if self.bench and (self._lacks_food(doing, named) or self._comes_unnamed(doing, named, later)):
            if doing.verb[-1] != "香" and doing.verb[0] not in lx.FLASH_FRYING:
                self.join_before()
            goes = self.bench if doing.verb[0] in lx.STIRRING else self.serving()
            self.pot = [*([] if self.plated else self.pot), *goes]
            self.bench = []
            self.away = False
        self.at_pot, self.taken, self.plated = True, False, False
        goes_on = bool(later) and later[0].verb[0] in lx.BINDING  # 烫熟，勾芡
        if doing.verb[0] in lx.BLANCHING and not goes_on:
            acted = self.pot
            self._take(doing._replace(foods=tuple(food for food in doing.foods if not soft(food))))
            return acted
        return self.pot

    def _put_on_heat(self, doing: KitchenAction, steams: bool) -> list[Mention]:
        """The named food that goes into the pot: no water over which food is steamed, no sauce that is reduced."""
        if steams:
            self.lift()
        reduced = doing.verb[0] == "收" and bool(self.pot)  # 收汤汁
        return [
            food
            for food in (*doing.inside, *doing.foods)
            if not (steams and watery(food)) and not (reduced and soft(food))
        ]

    def _puts_on_another(self, doing: KitchenAction, named: Sequence[Mention]) -> bool:
        """Whether another pot is heated, empty or with only oil: nobody heats oil with food in it."""
        if doing.verb not in lx.HEATS_VESSEL:
            return doing.verb in lx.FRESH
        if not named:
            return bool(doing.tools)
        return all(map(oil, named)) and not all(map(soft, self.pot))

    def _lacks_food(self, doing: KitchenAction, named: Sequence[Mention]) -> bool:
        """Whether the pot holds too little for a verb of heat.

        Oil and water are enough only for verbs that heat them. For cooking in water, spices are not enough either,
        unless the bench's food was set aside.
        """
        verb = doing.verb
        if named and (not all(map(medium, named)) or all(map(oil, named))):
            return verb[0] in lx.DRY and all(map(oil, named)) and not self.set_aside
        if named and not (verb[0] in lx.BLANCHING or len(doing.topics(named)) == len(named)):
            return False
        if self.empty and verb in lx.HEATS_VESSEL:  # 另取一锅，烧热
            return False
        if all(map(medium, self.pot)):
            return not (self.pot and verb in lx.HEATS_MEDIUM)
        wet = verb[0] in lx.WET and verb not in lx.HEATS_MEDIUM and not (self.plated and verb[0] != "蒸")
        more = not all(map(aromatic, self.bench)) and (not self.set_aside or all(map(soft, self.pot)))
        return wet and more and all(map(aromatic, self.pot))

    def _cuts_at(self, doing: KitchenAction) -> bool:
        """Whether a blade goes where the food is named: 从虾头剪开, but 虾头 alone is what else is cut off."""
        return doing.verb[0] in lx.CUTTING and not self.at_pot

    def _comes_unnamed(
        self, doing: KitchenAction, named: Sequence[Mention], later: Sequence[KitchenAction]
    ) -> bool:
        """Whether the bench's food is fried though nobody put it in, since no later action names it."""
        fries = doing.verb[0] in lx.FRYING and doing.verb[-1] not in "香味" and not named
        ready = bool(self.pot) and all(map(aromatic, self.pot)) and not (self.set_aside or self.just_taken)
        foods = [food for food in self.bench if not aromatic(food)]
        if not (fries and ready and foods):
            return False
        return not any(len(without(foods, action.foods)) < len(foods) for action in later)

    def _add(self, doing: KitchenAction, later: Sequence[KitchenAction]) -> list[Mention]:
        """Named food joins the pot or the bench. Without any, the food just added is meant, or else the bench's."""
        if doing.onto:
            return self.add_onto(doing)
        named = [*doing.inside, *doing.foods]
        if not named and doing.verb in kinds.COATS:
            return self.here()
        if doing.pours_sauce and self.pot and all(map(aromatic, self.pot)):
            return self.pour_sauce(doing)
        if doing.moves:
            return self.move(doing)
        if doing.together and not (named or self.at_pot):
            return self.here()
        if not named and self.added:
            return self.here() if kinds.by_hand(doing.verb) else self.added  # 加水抓进去
        into_pot = self.goes_into_pot(doing, named, later)
        if not named:
            goes = into_pot or bool(self.pot and doing.verb[0] != "加")
            acted = self.bench or self.pot
            if self.prepared and doing.joins and not (goes and self.pot):  # 面粉过筛加入
                self.bench, self.before = distinct([*self.before, *self.bench]), []
            if goes:
                served = self.serving()
                acted = [food for food in acted if food in served] or acted
                self.into_pot(served)
                self.at_pot, self.plated = True, False
            return acted
        if into_pot:
            self.add_to_pot(doing, named, later)
        else:
            self.add_to_bench(doing, named)
        return self.here()

    def _mix(self, doing: KitchenAction) -> list[Mention]:
        """The food at the place in use, with named food mixed in, unless that begins a group of its own."""
        if not doing.foods:
            if not self.at_pot and self.bench:
                self.join_before()
            return self.here()
        raw = doing.verb[0] in lx.BY_HAND and len(without(self.pot, doing.foods)) == len(self.pot)
        if self.at_pot and self.pot and not (raw and not all(map(soft, doing.foods))):
            self.pot = distinct([*self.pot, *doing.foods])
            return self.pot
        new = len(without(doing.foods, self.bench)) == len(doing.foods)
        other = new and (doing.verb[0] in lx.BLENDING or not any(map(soft, doing.foods)))
        joins = bool(self.added) or not (self.set_aside or other)
        if not joins and doing.verb[0] in lx.BLENDING:  # a sauce beside what was prepared
            self.shelve(self.bench)
            self.before = []
        self.bench = distinct([*(self.bench if joins else ()), *doing.foods])
        self.to_bench()
        return self.bench

    def _prepare(self, doing: KitchenAction) -> list[Mention]:
        """The bench's food. Named food begins a new group. Without any, the pot's food comes if the cook is there."""
        in_pot = doing.verb[0] in lx.PRICKING | lx.BEATING or any(map(kinds.heated, doing.tools))
        in_pot = in_pot or (doing.verb[0] in lx.STEEPING and any(map(watery, self.pot)))  # 关火浸泡
        if not doing.foods and self.at_pot and in_pot:
            return self.pot
        foods = [food for food in doing.prepared if not (self.is_part(food) and self._cuts_at(doing))]
        wraps = (
            bool(foods)
            and doing.verb[0] in lx.STUFFING
            and all(food.surface[-1] in lx.WRAPPERS for food in foods)
        )
        if wraps and self.bench and not self.at_pot:  # 用饺子皮包好
            self.join_before()
            self.bench = self.stuffed = distinct([*self.bench, *foods])
            self.to_bench()
            return self.bench
        if not foods and not self.at_pot:
            self._rid_of_water(doing.verb)
            if doing.verb[0] in lx.MARINATING and all(map(aromatic, self.bench)):  # 姜切末，腌制
                self.join_before()
        if (
            foods and self.bench and all(map(soft, foods)) and doing.verb[0] not in lx.BLENDING
        ):  # in salt, with wine
            self.bench = distinct([*self.bench, *foods])
        elif foods:
            kept = [] if self.set_aside or self.at_pot or self.plated else self.bench
            self.before = [*self.before, *kept] if kept and all(map(aromatic, kept)) else kept
            if len(without(foods, self.bench)) == len(foods):
                self.shelve(self.bench)
            self.bench = foods
        elif self.at_pot and doing.verb[0] in lx.BY_HAND and not all(map(soft, self.pot)):  # 拌匀，腌制
            self.pot, self.bench = [], [food for food in self.pot if not watery(food)]
        elif self.at_pot and (solid := mains(self.pot)):
            self.pot, self.bench, self.taken = without(self.pot, solid), solid, True
        if doing.verb[0] in lx.MARINATING:
            self.marinade = {
                food.cls for food in self.bench if aromatic(food) or food.surface.endswith(COATINGS)
            }
        self.to_bench()
        return self.bench or self.pot

    def _rid_of_water(self, verb: str) -> None:
        """Let the water in which food lay stay behind, with what is in it, when the food is washed, drained or cut.

        Washing takes off seasonings too; dough keeps its water.
        """
        washes = not lx.WASHING.isdisjoint(verb)
        leaves = washes or not lx.CUTTING.isdisjoint(verb) or verb[0] in lx.DRAINING or verb in lx.THAWING
        wet = leaves and (washes or any(map(watery, self.bench)))
        if wet and not any(food.surface[-1] in lx.DOUGHY for food in self.bench):
            self.bench = [food for food in self.bench if not soft(food)] or self.bench

    def _blended(self, doing: KitchenAction) -> KitchenAction:
        """The action without the name of the mixture that it makes of its other foods: 调料汁：生抽、醋."""
        self.unmixed = self.unmixed if kinds.kind(doing.verb) in (Kind.ADD, Kind.STOVE) else ""
        makes = doing.verb[0] in lx.BLENDING or kinds.kind(doing.verb) is Kind.ASIDE
        names = [food for food in doing.foods if mixed(food)]
        if not (makes and names):
            return doing
        parts = tuple(food for food in doing.foods if food not in names)
        self.unmixed = "" if parts else names[0].cls
        return doing._replace(foods=parts) if len(parts) > 1 else doing
