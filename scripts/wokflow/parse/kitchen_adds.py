"""How food gets into the pot, a bowl or other food, and what that leaves behind; see `pot`."""

from collections.abc import Sequence

from wokflow.parse import kinds
from wokflow.parse import lexemes as lx
from wokflow.parse.doings import KitchenAction, distinct, left, mains, next_work, without
from wokflow.parse.kinds import Kind, aromatic, cold, medium, mixed, oil, soft
from wokflow.parse.kitchen_places import Places
from wokflow.parse.types import Mention


class Adding(Places):
    """What verbs of adding do to the two places; `Kitchen` has the other verbs."""

    def add_to_bench(self, doing: KitchenAction, named: Sequence[Mention]) -> None:
        """Named food joins the bench's group, or begins another. Out of the pot it comes with its sauce."""
        first = len(doing.topics(named)) == len(named)  # the food stands before the verb
        solid = self.at_pot and not (without(named, self.pot) or any(map(soft, named)))
        if solid and doing.verb[0] == "倒":  # 蒜蓉倒入碗里
            rest = without(self.pot, named)
            self.pot, self.bench, self.set_aside = [] if all(map(soft, rest)) else rest, [], True
        moved = mains([food for food in doing.topics(named) if self.in_pot(food)])  # 煮好的鸡爪放入冰水
        moved = [] if all(map(aromatic, moved)) else moved
        if moved and not solid:
            self.pot, self.taken = without(self.pot, moved), True
        if doing.in_bowl and doing.verb[0] == "倒" and first and not without(named, self.pot):  # 油倒入碗中
            self.pot = without(self.pot, named)
        begins = self.seasons_another(doing) or self.in_another_bowl(doing)
        another = self.set_aside and not (self.plated or doing.works_in)
        begins = begins or another or doing.mixes_sauce or bool(moved and not solid)
        if self.unmixed and all(map(aromatic, named)) and {food.cls for food in self.bench} == {self.unmixed}:
            begins, self.bench, self.before = True, [], []
        elif self.plates and list(named) == self.bench and all(map(mixed, named)):  # 倒入料汁
            self.bench, begins = self.plates.pop(), False
        if begins:
            self.shelve(self.bench)
        self.bench = distinct([*([] if begins else self.bench), *named])
        self.marinade -= {food.cls for food in named}
        if doing.verb[0] in lx.STUFFING:
            self.stuffed = self.bench
        if (doing.in_bowl and first) or doing.mixes_sauce:  # 葱放入碗中
            self.before = []
        self.at_pot = self.set_aside = False

    def pour_sauce(self, doing: KitchenAction) -> list[Mention]:
        """What is in the pot goes over named food, and by a name of its own: 汤汁浇在鱼上."""
        named = [food for food in doing.topics(doing.foods) if mixed(food) or not soft(food)]
        sauce = [] if named else self.pot
        self.bench = distinct([*self.plate_of(doing.foods), *doing.foods, *sauce])
        self.pot, self.at_pot = [], False
        self.plated = self.set_aside = True
        return self.bench

    def move(self, doing: KitchenAction) -> list[Mention]:
        """The bench's food goes into a vessel, or the pot's if that is poured out: 倒入碗中, 转入砂锅."""
        self.bowls = {tool.cls for tool in doing.tools}
        leaves = self.at_pot and bool(self.pot)
        if any(map(kinds.heated, doing.tools)):
            if leaves and self.mixed_in:  # 酱和糖调匀，加入锅中
                return self.mixed_in
            if leaves and (doing.verb[0] == "转" or doing.tools[0].start < doing.start):  # 烤盘放入烤箱
                return self.pot
            if leaves and self.others and not self.bench and doing.verb[0] in lx.POURED:  # 倒入牛腩锅中
                self.pot, self.others = distinct([*self.others, *self.pot]), []
                return self.pot
            if not doing.inside:
                self.join_before()
            acted = self.serving() or self.pot
            self.into_pot([*doing.inside, *acted])
            self.at_pot, self.plated = True, False
            return acted
        if leaves:
            self.pot, self.bench = [], self.pot
            self.to_bench()
        return self.bench or self.pot

    def add_onto(self, doing: KitchenAction) -> list[Mention]:
        """The bench's food goes onto or into the named food, or the pot's if that is poured over it."""
        place = list(doing.foods)
        if self.at_pot and doing.verb[0] in lx.POURS:
            acted = left(self.pot, place)
            if not all(map(medium, place)):
                self.pot, self.bench, self.at_pot = [], distinct([*self.plate_of(place), *acted]), False
                self.plated = self.set_aside = True
            return acted
        if (
            place and self.at_pot and not self.bench and all(map(cold, place)) and mains(self.pot)
        ):  # 煮好后放入冰水中
            self.bench = mains(self.pot)
            self.pot, self.at_pot, self.taken = without(self.pot, self.bench), False, True
        acted = left(self.bench, place)
        self.plated = self.plated or doing.verb[0] in lx.LAYING
        if any(map(kinds.heated, doing.tools)) or (
            self.at_pot and len(without(self.pot, place)) < len(self.pot)
        ):
            self.into_pot([*self.bench, *place])
            self.bench, self.at_pot = [], True
        elif len(without(place, self.bench)) < len(place):
            self.bench = distinct([*self.bench, *place])
        else:
            self.bench = distinct([*self.bench, *self.fetch(place)])
        return acted

    def in_another_bowl(self, doing: KitchenAction) -> bool:
        """Whether food goes into a named bowl apart from the food prepared before: 碗中放豆腐, 鸡蛋打入碗中."""
        bowls, foods = {tool.cls for tool in doing.tools}, doing.foods
        known = len(without(foods, self.bench)) < len(foods) or not self.bowls.isdisjoint(bowls)
        self.bowls = bowls or self.bowls
        coats = doing.topics(foods) and any(food.surface[-1] == "粉" for food in foods)
        few = len(foods) < 3  # more are a sauce of its own
        seasons = (
            few and all(map(aromatic, foods)) and len(doing.topics(foods)) < len(foods)
        )  # not 葱姜放入碗中
        return bool(bowls) and not (coats or known or seasons)

    def goes_into_pot(
        self, doing: KitchenAction, named: Sequence[Mention], later: Sequence[KitchenAction]
    ) -> bool:
        """Whether food goes into the pot: by the named vessel, or if the cook is there or heat is the next work."""
        if doing.tools:
            return any(map(kinds.heated, doing.tools))
        behind = without(named, doing.topics(named))
        if behind and all(map(cold, behind)) and any(map(self.in_pot, doing.topics(named))):  # 鸡爪放入冰水
            return False
        works = kinds.by_hand(doing.verb) and not self.pot
        coats = (works or doing.verb[0] in lx.COATING) and self.bench and not self.set_aside
        if coats or doing.verb[0] in lx.STUFFING | lx.LAYING:
            return self.at_pot
        if later and later[0].verb[0] in lx.BY_HAND and self.seasons_another(doing):
            return False
        if self.at_pot or doing.verb[0] == "下" or doing.verb[-1] == "锅":
            return True
        return next_work(later) is Kind.HEAT and (not self.plated or any(map(oil, named)))
