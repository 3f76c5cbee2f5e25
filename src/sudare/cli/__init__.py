"""The command `sudare`. Everything heavy is imported by the command that needs it, so that help comes at once.

Exit codes: 0 done; 1 a promise does not hold, a check failed, or a ceiling refused a charge; 2 wrong usage or input.
"""

import sys


def main() -> None:
    """Run the command line of this process, and end it with the exit code."""
    from sudare.cli.running import run

    sys.exit(run(sys.argv[1:]))
