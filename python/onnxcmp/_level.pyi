# Its levels of instructions are those of the x86-64 psABI.
is_x86_64_v3: bool
