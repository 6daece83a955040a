"""The tree, and single steps that branch with forked states."""

from dataclasses import fields
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Message, Node, UserTurn
from mysteryshopper.dialogue import Tree, system_turn, turns, user_turn


def node(name, parent, side="user", turn=1, text="x"):
    role = "user" if side == "user" else "assistant"
    return Node(name, parent, side, turn, (Message(role, text),), state={"at": name})


def test_equal_branches_are_never_merged():
    tree = Tree().add(node("0", None))
    for _ in range(3):
        tree = tree.add(node(tree.next_id("0"), "0", "system", text="same"))
    assert [leaf.id for leaf in tree.leaves] == ["0.0", "0.1", "0.2"]
    assert [[one.id for one in branch] for branch in tree.branches()] == [["0", "0.0"], ["0", "0.1"], ["0", "0.2"]]


@pytest.mark.parametrize("nodes", [(node("0", None), node("0", None)), (node("0.0", "0"),)])
def test_a_tree_refuses_twins_and_orphans(nodes):
    with pytest.raises(ValueError, match="node"):
        Tree(nodes)


@given(st.lists(st.integers(min_value=0, max_value=30), max_size=25))
def test_paths_lead_from_the_root_to_every_leaf(parents):
    tree = Tree().add(node("0", None))
    for number in parents:
        parent = tree.nodes[number % len(tree.nodes)].id
        tree = tree.add(node(tree.next_id(parent), parent))
    assert len({one.id for one in tree.nodes}) == len(parents) + 1
    for one in tree.nodes:
        path = tree.path(one.id)
        assert (path[0].id, path[-1]) == ("0", one)
        assert [step.parent for step in path[1:]] == [step.id for step in path[:-1]]
    assert {one.id for branch in tree.branches() for one in branch} == {one.id for one in tree.nodes}


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans(), st.sampled_from(["ada", "bot"])), max_size=25))
def test_what_was_read_is_marked_on_the_path_and_nowhere_else(moves):
    tree = Tree().add(node("0", None))
    readers = {"0": set()}
    for number, grows, name in moves:
        leaf = tree.nodes[number % len(tree.nodes)].id
        if grows:
            tree = tree.add(node(tree.next_id(leaf), leaf))
            readers[tree.nodes[-1].id] = set()
        else:
            tree = tree.read_by(leaf, name)
            while leaf is not None:
                readers[leaf].add(name)
                leaf = tree[leaf].parent
    for one in tree.nodes:
        assert set(one.seen_by) == readers[one.id]
        assert len(one.seen_by) == len(readers[one.id])
        assert tree.path(one.id)[-1] is one is tree[one.id]
        assert Tree(tree.nodes).path(one.id) == tree.path(one.id)


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["ada", "bot", None])), max_size=25))
def test_to_add_a_node_for_a_reader_is_to_read_and_then_to_add(moves):
    tree = plain = Tree().add(node("0", None))
    for number, reader in moves:
        parent = tree.nodes[number % len(tree.nodes)].id
        new = node(tree.next_id(parent), parent)
        tree = tree.add(new, reader)
        plain = (plain if reader is None else plain.read_by(parent, reader)).add(new)
        assert tree == plain
        assert [tree.path(one.id) for one in tree.nodes] == [plain.path(one.id) for one in plain.nodes]
        assert [tree.children(one.id) for one in tree.nodes] == [
            tuple(child for child in tree.nodes if child.parent == one.id) for one in tree.nodes
        ]
    assert tree.children("elsewhere") == ()


def test_the_copy_of_a_node_that_was_read_differs_in_nothing_else():
    values = {field.name: (field.name,) for field in fields(Node)}
    assert Node(**values).read_by("bot") == Node(**{**values, "seen_by": ("seen_by", "bot")})


def test_a_very_long_dialogue_has_its_paths():
    tree = Tree(tuple(node("0" + ".0" * depth, "0" + ".0" * (depth - 1) if depth else None) for depth in range(1500)))
    assert len(tree.path(tree.nodes[-1].id)) == 1500


def test_history_counts_turns_of_a_side_without_the_prefix():
    prefix = [Message("user", "from a log", author="human")]
    tree = Tree.planted(prefix).add(node("0.0", "0", "system")).add(node("0.0.0", "0.0"))
    assert tree.history("0.0.0", "system").turn == 2
    assert tree.history("0.0", "user").turn == 1
    assert [message.text for message in tree.history("0.0.0", "system").messages] == ["from a log", "x", "x"]
    assert turns(tree.nodes, "user") == 1
    assert Tree.planted([]).nodes == ()


async def grow_two_systems(stage, depth, enqueue):
    """Breadth first: two systems answer each history; `enqueue` picks the branches the user goes on with."""
    scene = stage.scene(max_user_turns=9)
    user = stage.lines(lambda view: f"turn {view.turn}")
    state = user.start(scene.scenario, Random(1))
    tree, compared, closed = Tree(), 0, 0
    step = await user_turn(scene, user, tree, None, state)
    tree = step.grow(tree, scene)
    queue = [(step.node.id, 1)]
    while queue:
        leaf, level = queue.pop(0)
        branches = []
        for number in range(2):
            system = stage.replies(f"system {number}")
            answer = await system_turn(scene, system, tree, leaf)
            tree = answer.grow(tree, scene)
            branches.append(answer.node.id)
        compared += 1
        if level == depth:
            continue
        for branch in branches[:enqueue]:
            step = await user_turn(scene, user, tree, branch, tree.state(branch, "user", state))
            tree = step.grow(tree, scene)
            closed += step.ended is not None
            queue += [] if step.ended else [(step.node.id, level + 1)]
    return tree, compared


@pytest.mark.parametrize(("enqueue", "comparisons"), [(2, 3), (1, 2)])
async def test_a_tree_of_depth_two_is_compared_as_often_as_its_branches_say(stage, enqueue, comparisons):
    tree, compared = await grow_two_systems(stage, 2, enqueue)
    assert compared == comparisons
    assert len(tree.leaves) == comparisons + 1  # both answers of each last comparison, and what was not gone on with


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_a_full_tree_has_as_many_nodes_as_the_formula_says(stage, depth):
    tree, compared = await grow_two_systems(stage, depth, 2)
    assert compared == 2**depth - 1
    assert sum(one.side == "system" for one in tree.nodes) == 2 * (2**depth - 1)
    assert sum(one.side == "user" for one in tree.nodes) == 2 * (2 ** (depth - 1) - 1) + 1


async def test_an_end_closes_its_branch_only_and_states_are_forked(stage):
    scene = stage.scene()
    user = stage.lines("hello", UserTurn("bye", end="done"), "more")
    tree = Tree()
    for said in (await user_turn(scene, user, tree, None, {"said": 0}),):
        tree = said.grow(tree, scene)
    for text in ("k", "l"):
        tree = (await system_turn(scene, stage.replies(text), tree, "0")).grow(tree, scene)
    start = {"said": 99}
    left = await user_turn(scene, user, tree, "0.0", tree.state("0.0", "user", start))
    right = await user_turn(scene, user, tree, "0.1", tree.state("0.1", "user", start))
    assert (left.ended, right.ended) == ("user_done", None)
    assert left.node.state == right.node.state == {"said": 2}
    assert [message.text for message in user.views[2].history.messages] == ["hello", "l"]
    assert [message.text for message in user.views[1].history.messages] == ["hello", "k"]


async def test_what_two_systems_read_is_marked_with_both(stage):
    from dataclasses import replace

    scene = stage.scene()
    tree = (await user_turn(scene, stage.lines("a"), Tree(), None, {"said": 0})).grow(Tree(), scene)
    for name in ("first", "second"):
        named = replace(scene, system=name)
        tree = (await system_turn(named, stage.replies(name), tree, "0")).grow(tree, named)
    assert [one.seen_by for one in tree.nodes] == [("u", "first", "second"), ("first",), ("second",)]


def test_what_is_no_turn_does_not_hide_the_turns_before():
    path = [Node("0", None, "system", 1, ()), Node("0.0", "0", "user", 1, ()), Node("0.0.0", "0.0", "system", 0, ())]
    assert (turns(path, "system"), turns(path, "user"), turns(path[2:], "system")) == (1, 1, 0)
