"""Stage 5: carries out decisions.

Belongs here: Reserve to PostBind around one bind call with one way back, pods that wait in Permit, victims of
preemption, conditions and events about pods. Called by the loop. Must not be here: which node or which victim; lists
and watches; retries of reads, which the client does.

    Placement -> assume -> Reserve -> Permit -> [task: wait, PreBind, Bind, PostBind]
                             any "no" or fault -> Unreserve in reverse, once -> forget -> requeue
"""
