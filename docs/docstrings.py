"""For the site: `Example:` in a docstring is a section of code to run, as griffe reads `Examples:`."""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Names the section as griffe does, so that it is not read as Markdown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Renames the section in the docstring of each module, class, function and attribute."""
        del kwargs
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"^(\s*)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
