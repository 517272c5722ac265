"""The table of nodes is whole: every node is reached, every route leads where the table says."""

from __future__ import annotations

import itertools

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import (
    Goal,
    LoopStop,
    NextStep,
    PlannedSection,
    Strategy,
    Verdict,
    WebPolicy,
    WebQuery,
    WebResult,
)
from shisho.domain.loop_state import LoopState
from shisho.domain.report import CurrentSection
from shisho.domain.survey import Survey, SurveyKind
from shisho.librarian.table import END, START, TABLE, WEB_TIMES

QUERY = WebQuery("G1", "決定係数", "ja")
REACHED = [
    None,
    WebResult(),
    WebResult((QUERY,), engines=(("G1", "bing"),)),
    WebResult((QUERY,), engines=(("G1", "bing"),), times=WEB_TIMES),
]


def states() -> list[LoopState]:
    """Every combination of what a route looks at."""
    stops = [None, *LoopStop]
    made = []
    for web_policy, reached, stop in itertools.product(WebPolicy, REACHED, stops):
        status = NextStep.CONTINUE if stop is None else NextStep.COMPLETE
        state = LoopState(web_policy=web_policy, verdicts=(Verdict(status, "", "", stop),))
        made.append(state if reached is None else LoopState(**state, reached=reached))
    made.append(LoopState(**made[0], survey=Survey(SurveyKind.COUNT, ())))
    sections = (PlannedSection("one", (Goal("S1.1", "?"),)), PlannedSection("two", (Goal("S2.1", "?"),)))
    report = Strategy("?", sections[0].goals, "S1.1", Complexity.SEVERAL, sections=sections)
    ended = (Verdict(NextStep.COMPLETE, "", "", LoopStop.CONDITION_MET),)
    made += [
        LoopState(web_policy=WebPolicy.NEVER, verdicts=ended, strategy=report, section=CurrentSection(number))
        for number in (1, 2, 3)
    ]
    return made


def test_routes_lead_where_the_table_says_and_nowhere_else() -> None:
    for name, node in TABLE.items():
        asked = [state for state in states() if name != "web_fallback" or "reached" in state]
        assert {node.route(state) for state in asked} == set(node.leads_to), name


def test_every_node_is_reached_from_the_start_and_reaches_the_end() -> None:
    ways = {name: set(node.leads_to) for name, node in TABLE.items()}
    reached = {START}
    while more := {place for name in reached if name != END for place in ways[name]} - reached:
        reached |= more
    assert reached == {*TABLE, END}


def test_nodes_see_keys_of_the_state_only() -> None:
    for node in TABLE.values():
        assert set(node.sees) <= set(LoopState.__annotations__), node.name
