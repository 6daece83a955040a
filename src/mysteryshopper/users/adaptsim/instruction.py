"""How a simulated person goes about it: the packaged text, or what a prompt optimisation or a person wrote.

Such a text is a value in the fixed prompt of the user. Whatever it holds, it is filled in and never compiled.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from mysteryshopper.core import ConfigError, note_read
from mysteryshopper.datasets import Domain
from mysteryshopper.prompts import Prompt
from mysteryshopper.users.adaptsim.options import AdaptSimOptions

LONGEST = 20_000
"""Characters that an instruction may have."""

FIRST, BEST = "prompts/initial.txt", "prompts/best.txt"
"""The files that a prompt optimisation leaves in the folder of its run."""

_TEMPLATE = "users/adaptsim-instruction"


def general_instruction() -> str:
    """Return the packaged text that fits every field: what prompt optimisation begins with."""
    return Prompt.load(_TEMPLATE).render("general")["general"]


def initial_instruction(domain: Domain | None = None) -> str:
    """Return the packaged text, with the page of a domain behind it where the domain is described."""
    if domain is None:
        return general_instruction()
    attributes = [(name, attribute.about) for name, attribute in domain.attributes.items()]
    page = Prompt.load(_TEMPLATE).render(
        "page", field=domain.field, description=domain.description, attributes=attributes
    )
    return f"{general_instruction()}\n\n{page['page']}"


def read_instruction(path: Path, key: str | None = None) -> str:
    """Return the text of a file, white space at its ends removed.

    Args:
        path: The file, UTF-8.
        key: Path of the key that named it, for the message.

    Raises:
        ConfigError: It can't be read, holds nothing, or more than `LONGEST` characters.
    """
    note_read(path)
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise ConfigError(f"the instruction {path} can't be read: {why}", key=key) from None
    except UnicodeDecodeError:
        raise ConfigError(f"the instruction {path} is no UTF-8 text; save it in that encoding", key=key) from None
    text = text.replace("\0", "").strip()
    if not text:
        raise ConfigError(f"the instruction {path} is empty; write into it how a person goes about it", key=key)
    if len(text) > LONGEST:
        raise ConfigError(f"the instruction {path} has {len(text):,} characters; make it {LONGEST:,} at most", key=key)
    return text


def instruction_of(options: AdaptSimOptions, folder: Path, domain: Domain | None) -> str:
    """Return the instruction that a user's options name.

    Args:
        options: The user's options.
        folder: Where their relative paths start.
        domain: The domain of the experiment, if it is described.

    Raises:
        ConfigError: A file they name can't be used.
    """
    if options.prompt == "file":
        return read_instruction(folder / str(options.path), "options.path")
    if options.from_ is None:
        return initial_instruction(domain)
    run = folder / options.from_
    if not (run / "prompts").is_dir():
        raise ConfigError(
            f"{run} holds no `prompts` folder, so it is no run of `prompt-optimisation`; name the folder that such a"
            " run left",
            key="options.from",
        )
    return read_instruction(run / (BEST if options.prompt == "optimised" else FIRST), "options.from")


def text_hash(text: str) -> str:
    """Return the eight hex digits that stand for an instruction in records, as for a template."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
