"""Every prompt of the package: one template file each, its hash in every record; and fences for what others wrote.

A template is a jinja2 file under `templates/`. Lines of the form `--- name ---` divide it into sections (`system` and
`user` for chat models, `completion` for models that continue examples); what stands before the first is put in front
of each. Texts from outside are values: they are filled in, never compiled.
"""

from mysteryshopper.prompts.fences import Fence
from mysteryshopper.prompts.loading import Prompt, Rendered

__all__ = ["Fence", "Prompt", "Rendered"]
