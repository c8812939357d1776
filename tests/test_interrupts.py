"""Ctrl-C ends a command with one line and exit code 1, whatever runs at that moment."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from seqbench import __main__
from seqbench.cli import main
from tests.interrupts import BEGUN, TELLING

COMMANDS = {
    "generate": "generate dyck_d6 --out {new}/out",
    "export": "export {new}/out --config dyck_d6",
    "coverage": "coverage dyck_d6",
    "list": "list",
    "show": "show dyck_d6 --cache-dir {new}/cache",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_at_any_moment_there_is_no_traceback_and_no_temporary_file(command, tmp_path):
    """Random moments of the first two seconds; what matters is how it ends, not where it was."""
    chance = random.Random(command)
    for number in range(8):
        new = tmp_path / str(number)
        arguments = COMMANDS[command].format(new=new).split()
        quiet = os.environ | {"HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        pipe = subprocess.PIPE
        process = subprocess.Popen([*TELLING, *arguments], stdout=pipe, stderr=pipe, text=True, env=quiet)
        assert process.stdout.read(1) == BEGUN
        time.sleep(chance.uniform(0.05, 2) ** 2 / 2)  # more often early
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        told = (process.returncode, err.strip())
        assert told in {(1, "Aborted!"), (-signal.SIGINT, "Aborted!"), (-signal.SIGINT, ""), (0, "")}, (told, out)
        assert err or out  # it was through before the signal came
        assert not new.exists() or not list(new.glob(".out*"))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Error calling __set_name__")])
def test_while_the_command_line_is_imported(error, monkeypatch, capsys):
    class Interrupted:
        @staticmethod
        def find_spec(name, *_):
            if name == "seqbench.cli":
                raise error from KeyboardInterrupt()

    monkeypatch.delitem(sys.modules, "seqbench.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupted, *sys.meta_path])
    assert __main__.main() == 1
    assert capsys.readouterr() == ("", "Aborted!\n")


def test_another_error_is_not_taken_for_an_interrupt(monkeypatch):
    monkeypatch.setattr("seqbench.cli.main", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        __main__.main()


@pytest.fixture
def run(monkeypatch):
    """Runs `info` with a function in place of its work; this process hears interrupts meanwhile."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def with_work(work):
        monkeypatch.setattr("seqbench.dataset.overview.overview", work)
        done = CliRunner().invoke(main, ["info", "parity_check"])
        return done.exit_code, done.stderr.strip()

    yield with_work
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # as it was before the command
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("error", [ImportError, OSError, ValueError])
def test_where_a_library_makes_an_error_of_its_own_of_it(error, run):
    def work(_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupt:
            raise error("failed") from interrupt

    assert run(work) == (1, "Aborted!")


def test_errors_without_an_interrupt_stay_as_they_are(run):
    def work(_):
        raise OSError(28, "No space left on device", "here")

    assert run(work) == (2, "Error: here cannot be used: No space left on device.")


def test_where_no_exception_can_be_raised(run):
    """The interrupt comes in a finaliser, which Python would report with a traceback and then forget."""

    class Last:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def work(_):
        last = Last()
        del last
        until = time.monotonic() + 60
        while time.monotonic() < until:
            time.sleep(0.01)

    assert run(work) == (1, "Aborted!")


def test_a_shell_that_ignores_interrupts_is_obeyed(run):
    def work(_):
        raise OSError(1, str(signal.getsignal(signal.SIGINT) is signal.SIG_IGN), "here")

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    told = run(work)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert "True" in told[1]
