"""Task datasets and grammars of one's own, through the door that the built-in ones use; bad ones are refused."""

import itertools

import pytest
from click.testing import CliRunner

import seqbench
from seqbench.catalogue.claims import check_all
from seqbench.catalogue.languages import grammar_of, machine_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.cli import main
from seqbench.errors import DefinitionError, InputError, SeqbenchError
from seqbench.generation.plan import plan

HISTORY = 'version = "1.0.0"\nsource = "me"\n[[history]]\nversion = "1.0.0"\nchange = "First."\n'
SMALL = {"train_examples": 200, "validation_examples": 20, "test_lengths": (20, 22), "test_examples_per_length": 4}


@pytest.fixture
def mine(tmp_path):
    """A catalogue of a grammar, or of whatever stands in its file, and of a dataset with some task lines."""

    def make(grammar='alphabet = ["a", "b"]\ngrammar = "S -> a S b |"', task='task = "grammar"', parameters=None):
        parameters = parameters or 'language = "own"'
        texts = {
            "automata": f'title = "A language"\nsource = "me"\n{grammar}\n',
            "generators": f'title = "A task"\n{task}\nparameters = {{ {parameters} }}\n{HISTORY}',
        }
        for part, text in texts.items():
            (tmp_path / part).mkdir(exist_ok=True)
            (tmp_path / part / "own.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return make


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_grammar_of_ones_own(mine, tmp_path):
    root = mine('alphabet = ["x", "(", ")", ","]\ngrammar = """\nT -> x | ( L )\nL -> T | T , L\n"""')
    loaded = seqbench.load_dataset("own", catalogue=root, cache_dir=str(tmp_path / "cache"), **SMALL)
    assert set(loaded["train"]["label"]) == {0, 1}
    assert seqbench.solve("own", ["(x,(x))", "(x,)", "x"], catalogue=root) == [1, 0, 1]
    assert seqbench.solve("own", "(x)", catalogue=root) == 1
    rows = plan("own", root, extra="next_symbols").sample(7, 40)
    grammar = grammar_of(open_catalogue(root), "own")
    members = {word for n in range(14) for word in grammar.words(n)}
    for row in rows:
        word = tuple(grammar.terminals[i] for i in row["input_ids"])
        assert row["label"] == (word in members)
        for t, packed in enumerate(row["next_symbols"][:4]):
            after = {member[t : t + 1] for member in members if member[:t] == word[:t]}
            assert packed == sum(1 << i for i, s in enumerate([("x",), ("(",), (")",), (",",), ()]) if s in after)
    sizes = ["--train-examples", 50, "--test-examples-per-length", 1]
    commands = [["info", *sizes], ["show", "--cache-dir", tmp_path / "c", *sizes], ["sample", "--length", 3]]
    for command, *options in commands:
        result = run(command, "own", *options, "--catalogue", root)
        assert result.exit_code == 0, result.output


def test_an_edited_grammar_is_another_generator(mine):
    first = plan("own", mine()).fingerprint
    assert plan("own", mine('alphabet = ["a", "b"]\ngrammar = "S -> a S b b |"')).fingerprint != first


def test_claims_of_a_grammar_are_recomputed(mine):
    grammar = 'alphabet = ["a", "b"]\ngrammar = "S -> a S b |"\n[claims]\n'
    assert check_all(mine(grammar + 'counts = [1, 0, 1]\naccepts = ["", "aabb"]\nrejects = ["ba"]')) == []
    wrong = check_all(mine(grammar + 'counts = [1, 1, 1]\naccepts = ["ba"]\nrejects = ["ab"]'))
    assert wrong == [
        "own: claims 1 words of length 1, found 0.",
        "own: claims that 'ba' is accepted, found that it is not.",
        "own: claims that 'ab' is rejected, found that it is not.",
    ]


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        ('grammar = ""', "The grammar has no rule"),
        ('grammar = "S -> a S"', "derives no word from 'S'"),
        ('grammar = "S -> S S | a |"', "derives itself"),
        ('grammar = "S -> T\\nT -> S | a"', "derives itself"),
        ('grammar = "S -> a S a | a S | b"', "ambiguous: at length 4 there are 3 derivations of 2"),
        ('grammar = "S -> a Tail"', "'Tail' is neither a nonterminal nor in the alphabet ('a', 'b')"),
        ('grammar = "S -> a c"', "'c' is neither a nonterminal nor in the alphabet ('a', 'b'). Give it a rule"),
        ('grammar = "a -> b"', "'a' is in the alphabet and has rules of its own"),
        ('grammar = "S = a"', "'S = a' is no rule"),
        ('grammar = "S -> a"\nregex = "a"', "It has regex and grammar"),
        ('grammar = "S -> a"\n[claims]\nstates = 3', "[claims] of a grammar"),
        ('regex = "a"\n[claims]\nstates = 3', "needs states, monoid and aperiodic"),
    ],
)
def test_bad_grammars_are_refused_with_their_file(grammar, words, mine):
    root = mine(f'alphabet = ["a", "b"]\n{grammar}')
    with pytest.raises(DefinitionError) as caught:
        plan("own", root)
    assert words in str(caught.value)
    assert "own.toml" in str(caught.value)
    result = run("info", "own", "--catalogue", root)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_a_grammar_with_no_length_of_both_labels_says_so(mine):
    root = mine('alphabet = ["a"]\ngrammar = "S -> "')
    with pytest.raises(InputError, match=r"All words of a length up to 60 have one label: .*'keep'"):
        _ = plan("own", root).splits


def test_left_recursion_is_welcome(mine):
    root = mine('alphabet = ["a", "+"]\ngrammar = "E -> E + a | a"')
    assert seqbench.solve("own", ["a+a+a", "a+"], catalogue=root) == [1, 0]


def test_a_grammar_has_no_machine(mine):
    root = mine()
    with pytest.raises(InputError, match='task = "grammar"'):
        machine_of(open_catalogue(root), "own")
    with pytest.raises(InputError, match="not over a regular language"):
        seqbench.language("own", catalogue=root)
    with pytest.raises(SeqbenchError, match='task = "grammar"'):
        plan("own", mine(task='automaton = "own"', parameters="depth = 1"))


def test_a_language_without_a_grammar_is_no_grammar(mine):
    with pytest.raises(SeqbenchError, match=r"no language with a grammar 'tomita_4'.*automata/NAME\.toml"):
        plan("own", mine(parameters='language = "tomita_4"'))


def test_state_tracking_of_ones_own_automaton(mine):
    regex = 'alphabet = ["a", "b"]\nregex = ".* b"\n'
    root = mine(regex, 'task = "state_tracking"', 'automaton = "own", targets = "prefix"')
    assert seqbench.solve("own", "abba", catalogue=root) == [0, 1, 1, 0]
    assert plan("own", root, **SMALL).splits["train"].num_examples == 200
    before = plan("own", root).fingerprint
    mine(regex.replace(".* b", ".* a"), 'task = "state_tracking"', 'automaton = "own", targets = "prefix"')
    assert plan("own", root).fingerprint != before


@pytest.mark.parametrize(
    ("task", "parameters", "words"),
    [
        ('task = "revers_string"', "symbols = 2", "Did you mean 'reverse_string'"),
        ('task = "reverse_string"', "symbol = 2", "Did you mean 'symbols'"),
        ('task = "reverse_string"', "symbols = 0", "symbols"),
        ('task = "reverse_string"\nsampling = "balanced"', "symbols = 2", "sampling"),
        ('task = "reverse_string"\ntest_lengths_list = []', "symbols = 2", "test_lengths_list is empty"),
        ('task = "reverse_string"\nvalidation_long_lengths = [9, 3]', "symbols = 2", "runs backwards"),
        ('task = "reverse_string"\ntrain_lengths = [0, 3]', "symbols = 2", "out of range"),
    ],
)
def test_bad_task_files_are_refused(task, parameters, words, mine):
    with pytest.raises(SeqbenchError) as caught:
        plan("own", mine(task=task, parameters=parameters))
    assert words in str(caught.value)


def test_built_in_languages_stay_beside_ones_own(mine):
    """A user's grammar may have the name of a built-in language: then it hides that."""
    root = mine()
    (root / "automata" / "dyck.toml").write_text((root / "automata" / "own.toml").read_text())
    dataset = (root / "generators" / "own.toml").read_text().replace('"own"', '"dyck"')
    (root / "generators" / "own.toml").write_text(dataset)
    assert seqbench.solve("own", ["aabb"], catalogue=root) == [1]
    assert [*itertools.islice(plan("cf_dyck_2").task.language.alphabet, 2)] == ["(", ")"]
