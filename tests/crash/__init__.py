"""`kill -9` at any moment: what is gone on with comes to the same report, and asks nothing twice.

    make test-crash [KILLS=200] [ARGS="-k server"]

The world (`world.py`) is one run with everything in it: model calls, searches at a loopback Tavily, pages of a loopback site, a
tool of an MCP server, a program in the sandbox. A chain kills one run again and again until it comes to its report, then begins
another: each kill costs the start of a process. Chains are named by their seed and run side by side.

When (`moments.py`): before, in the middle of and after each call at the far ends; before, while and after a program runs; at each
file of the report made, written and named; at the n-th write to the databases, n growing life by life; and by lot, at the n-th of
all that happens or after some seconds. What each kill has hit is counted (`under_way.py`) and told at the end.

What is checked: each life makes no call that the journal knew before it, and leaves its entries alone; a kill leaves files whole
or under a name that says otherwise, and no process; in the end report and page are those of a run that nobody interrupted, byte by
byte, and no lock, temporary file or broken database is left (`whole.py`, `killing.py`, `test_server.py`).
"""
