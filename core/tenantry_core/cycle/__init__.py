"""Stage 4: (snapshot, pod class, profile) to a decision, as a pure function of values.

Belongs here: filtering, scoring, picking, victim search, explaining. Called by the loop, the simulator, `explain`, the
benchmarks and the parity replay. Must not be here: await, clocks, unseeded randomness, I/O.
"""
