"""The measured process of `growth.py`: so many researches at once, then one line of JSON about them."""

import asyncio
import json
import resource
import sys

from benchmarks.growth_world import PLANS, QUESTION
from leadline import aresearch
from leadline.runs.run_ids import new_run_id


async def main(documents: str, runs: int, a_plan: int) -> None:
    """Research, and say what came out."""
    reports = await asyncio.gather(
        *(
            aresearch(
                QUESTION,
                docs=[documents],
                run_id=new_run_id(),
                max_step_num=a_plan,
                max_plan_iterations=PLANS,
                max_seconds=86_400,
                max_results=20,
            )
            for _ in range(runs)
        )
    )
    report = reports[0]
    done = sum(result.status == "done" for result in report.results)
    print(
        json.dumps(
            {
                "steps_done": done,
                "sources": len(report.sources),
                "excerpts": len(report.excerpts),
                "plans": len(report.plans),
                "prompt_tokens": report.usage.total.input_tokens,
                "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            }
        )
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
