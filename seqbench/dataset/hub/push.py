"""An exported folder on the Hub: repository, files, tag."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import huggingface_hub
from huggingface_hub import constants
from huggingface_hub.errors import HfHubHTTPError

from seqbench.dataset.hub.manifest import HUB_CACHE, Manifest, read_manifest
from seqbench.dataset.hub.verify import check_files
from seqbench.errors import InputError, quoted
from seqbench.files import named

T = TypeVar("T")

_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?")
_NUMBER = "(0|[1-9][0-9]{0,8})"
_TAG = re.compile(rf"v{_NUMBER}\.{_NUMBER}\.{_NUMBER}")
# What breaks below the Hub's own errors. The library has changed its HTTP client twice, so its classes are asked.
_CLIENTS = [base for base in HfHubHTTPError.__mro__[1:] if issubclass(base, Exception) and base is not Exception]
_BROKEN: tuple[type[Exception], ...] = (*_CLIENTS, RuntimeError, ValueError)
LOG_IN = (
    "There is no Hugging Face token. Log in with `hf auth login`, or set HF_TOKEN to a token with write access "
    "(https://huggingface.co/settings/tokens). `--dry-run` needs none."
)


PASSING = {408, 409, 429}
"""Refusals of the Hub that pass: too slow, another commit at the same time, too many requests."""


@dataclass(frozen=True)
class Push:
    """What a push does, step by step.

    Attributes:
        repository: ORG/NAME.
        tag: vX.Y.Z.
        folder: an exported folder.
        manifest: what it holds.
    """

    repository: str
    tag: str
    folder: Path
    manifest: Manifest

    @property
    def operations(self) -> list[str]:
        """The steps in words."""
        sizes = {file: (self.folder / file).stat().st_size for file in sorted(self.manifest.all_files)}
        return [
            f"create dataset repository {self.repository} unless it is there",
            *(f"upload {file} ({size:,} bytes)" for file, size in sizes.items()),
            "delete files of the repository that the folder does not hold (but .gitattributes)",
            f"tag the commit {self.tag}",
        ]

    def run(self) -> str:
        """Carries the steps out; returns the address. Called again after a break, it sends only what is missing.

        Raises:
            InputError: no token, no permission, no network, or the tag is there already.
        """
        _check_settings()
        made_by = self.manifest.made_with.get("seqbench", "unknown")
        api = huggingface_hub.HfApi(library_name="seqbench", library_version=made_by)
        address = self._ask(lambda: str(api.create_repo(self.repository, repo_type="dataset", exist_ok=True)))
        self._check_tag(api)
        commit = self._ask(
            lambda: api.upload_folder(
                repo_id=self.repository,
                repo_type="dataset",
                folder_path=self.folder,
                commit_message=f"Release {self.tag}",
                ignore_patterns=[f"{HUB_CACHE}/**"],
                delete_patterns="*",  # an older release may have had other datasets or more shards
            )
        )
        self._ask(lambda: api.create_tag(self.repository, tag=self.tag, revision=commit.oid, repo_type="dataset"))
        return f"{address}/tree/{self.tag}"

    def _check_tag(self, api: huggingface_hub.HfApi) -> None:
        refs = self._ask(lambda: api.list_repo_refs(self.repository, repo_type="dataset"))
        if self.tag in {tag.name for tag in refs.tags}:
            raise InputError(
                f"{self.repository} has the tag {self.tag!r} already, and a release never changes. Give the next tag, "
                "or delete the old one on the Hub."
            )

    def _ask(self, call: Callable[[], T]) -> T:
        """The Hub's answer, or an error that says what to do."""
        try:
            return call()
        except HfHubHTTPError as error:
            raise InputError(_advice(self.repository, error)) from error
        except (KeyError, TypeError, AttributeError) as error:  # what the library does not find in an answer
            raise InputError(
                f"The Hub's answer is not what it should be ({type(error).__name__}: {error}). Is there a Hub at "
                f"{constants.ENDPOINT}? HF_ENDPOINT sets this address."
            ) from error
        except _BROKEN as error:
            reason = " ".join(dict.fromkeys([str(error), str(error.__cause__ or error)])).rstrip(".")
            raise InputError(
                f"The Hub could not be reached, or broke off: {reason}. Run the same command again: what was "
                "uploaded is not sent twice."
            ) from error


def prepare(repository: str, tag: str, folder: Path) -> Push:
    """A push whose names and folder are checked, without network.

    Raises:
        InputError: a name that no repository can have, a tag that is none, a folder that is no export or is damaged.
    """
    _check_repository(repository)
    if not _TAG.fullmatch(tag):
        raise InputError(f"The tag {tag!r} cannot be used. Write vX.Y.Z, for example 'v1.0.0'.")
    folder = named(folder)
    manifest = read_manifest(folder)
    if wrong := list(check_files(folder, manifest)):
        raise InputError(f"{str(folder)!r} is not as it was exported: {wrong[0].what} `seqbench verify` says all.")
    return Push(repository, tag, folder, manifest)


def _check_settings() -> None:
    """Nothing, if the settings of the Hub's library are such that a push can succeed."""
    token = huggingface_hub.get_token()
    if token is None:
        raise InputError(LOG_IN)
    if not (token.isascii() and token.isprintable()):
        raise InputError(
            "The Hugging Face token holds letters that no token has. Set HF_TOKEN anew, or `hf auth login`."
        )
    if not constants.ENDPOINT.startswith(("http://", "https://")):
        raise InputError(
            f"HF_ENDPOINT is {quoted(constants.ENDPOINT)}, which is no address of a Hub. Give one with https://."
        )
    if constants.HF_HUB_OFFLINE:
        raise InputError("HF_HUB_OFFLINE is set, so nothing can be sent. Unset it.")


def _check_repository(repository: str) -> None:
    parts = repository.split("/")
    good = len(parts) == 2 and all(_PART.fullmatch(part) for part in parts) and len(repository) <= 96
    if not good or ".." in repository or "--" in repository or repository.endswith(".git"):
        raise InputError(
            f"The repository {repository!r} cannot be. Write ORG/NAME with one slash; letters, digits, '-', '_' and "
            "'.' within (not '..', not '--', 96 characters at most)."
        )


def _advice(repository: str, error: HfHubHTTPError) -> str:
    status = error.response.status_code if error.response is not None else 0
    reason = " ".join(dict.fromkeys(line.strip() for line in str(error).splitlines() if line.strip())).rstrip(".:")
    if status in {401, 403}:
        return (
            f"The Hub refuses ({status}): this token may not write to {repository}. Log in as someone who may with "
            "`hf auth login`, or give another token with HF_TOKEN."
        )
    if 400 <= status < 500 and status not in PASSING:
        return f"The Hub refuses ({status}): {reason}."
    return (
        f"The Hub answered {status or 'nothing'}: {reason}. Run the same command again: what was uploaded is not sent "
        "twice."
    )
