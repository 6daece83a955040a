"""What an experiment does, one file or folder a protocol: its units, how one runs, what is judged and measured."""

from mysteryshopper.core import Registry

PROTOCOLS = Registry(
    "protocol",
    {
        "conversation": "mysteryshopper.protocols.conversation:Conversation",
        "import": "mysteryshopper.protocols.imported:Import",
        "ievalm": "mysteryshopper.protocols.ievalm:IEvaLM",
        "prompt-optimisation": "mysteryshopper.optimize:PromptOptimisation",
        "ranking-consistency": "mysteryshopper.protocols.ranking_consistency:RankingConsistency",
        "robustness": "mysteryshopper.protocols.robustness:Robustness",
        "simulator-comparison": "mysteryshopper.protocols.simulator_comparison:SimulatorComparison",
        "style-control": "mysteryshopper.protocols.style_control:StyleControl",
        "tree": "mysteryshopper.protocols.tree:TreeComparison",
    },
    "mysteryshopper.protocols",
)

__all__ = ["PROTOCOLS"]
