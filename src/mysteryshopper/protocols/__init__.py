"""What an experiment does, one file or folder a protocol: its units, how one runs, what is judged and measured."""

from mysteryshopper.core import Registry

PROTOCOLS = Registry(
    "protocol",
    {
        "conversation": "mysteryshopper.protocols.conversation:Conversation",
        "import": "mysteryshopper.protocols.imported:Import",
        "ievalm": "mysteryshopper.protocols.ievalm:IEvaLM",
        "robustness": "mysteryshopper.protocols.robustness:Robustness",
        "tree": "mysteryshopper.protocols.tree:TreeComparison",
    },
    "mysteryshopper.protocols",
)

__all__ = ["PROTOCOLS"]
