"""Everything that depends on Numba or LLVM, and nothing else.

No other file of the engine imports either of them. From the inside out:

- `private` looks up Numba's private names, which another version may lack;
- `instructions` teaches Numba the primitives of `threefold.rules.bits`;
- `dispatcher` hands functions to Numba, and `cache` keeps on disk what Numba makes of them;
- `tables` and `states` turn the rules' data into forms that Numba compiles well;
- `fingerprint` digests everything that machine code depends on;
- `binding` puts a game's functions in place of the contract's;
- `entries` compiles a template for a game when it is first called.

`threefold.engine.compile` is the way in. The GPU has separate files for numba-cuda:
`threefold.gpu.driver` and `threefold.gpu.instructions`.
"""
