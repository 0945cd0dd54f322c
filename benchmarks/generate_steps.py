"""generate_steps.py ONNXCMP MODEL [STEPS]: what a step of `onnxcmp generate` costs.

MODEL is a decoder with caches that grow, as optimum exports it (past_key_values.0.key,
present.0.key). onnxcmp takes it on both sides, which is two runs a step; onnxruntime runs the same
steps twice as well, the states of a step bound as inputs of the next one, without a copy. Both take
one thread, and the processor time is counted, so that other programs do not; the prompt is one
token, so that every step costs the same. Loading is left out: the time of one step is taken from
that of all. Needs Python's numpy and onnxruntime.
"""

import resource
import subprocess
import sys
import time

import numpy
import onnxruntime

THREADS = 1
FIRST = 3


def of_onnxcmp(program, model, steps):
    def run(count):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, "generate", model, model, "--quiet", "--prompt", str(FIRST), "--steps",
             str(count), "--threads", str(THREADS)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime

    return min(run(steps) for _ in range(3)) - min(run(1) for _ in range(3))


class Decoder:
    def __init__(self, model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )

    def run(self, steps):
        """Seconds for all steps but the first."""
        inputs = self.session.get_inputs()
        outputs = [output.name for output in self.session.get_outputs()]
        states, token, seconds = {}, FIRST, 0
        for step in range(steps):
            begin = time.process_time()
            binding = self.session.io_binding()
            for value in inputs:
                if value.name in states:
                    binding.bind_ortvalue_input(value.name, states[value.name])
                elif value.name.startswith("past"):
                    shape = [1, value.shape[1], 0, value.shape[3]]
                    binding.bind_cpu_input(value.name, numpy.zeros(shape, numpy.float32))
                else:
                    made = {
                        "input_ids": [[token]],
                        "attention_mask": [[1] * (step + 1)],
                        "position_ids": [[step]],
                    }[value.name]
                    binding.bind_cpu_input(value.name, numpy.array(made, numpy.int64))
            for name in outputs:
                binding.bind_output(name)
            self.session.run_with_iobinding(binding)
            given = dict(zip(outputs, binding.get_outputs()))
            token = int(given["logits"].numpy()[0, -1].argmax())
            states = {
                name.replace("present", "past_key_values"): value
                for name, value in given.items()
                if name.startswith("present")
            }
            seconds += time.process_time() - begin if step else 0
        return seconds


def main():
    program, model, steps = sys.argv[1], sys.argv[2], int(([*sys.argv[3:], 64])[0])
    ours = of_onnxcmp(program, model, steps)
    decoder = Decoder(model)
    theirs = min(2 * decoder.run(steps) for _ in range(3))
    print(f"{steps} steps of both sides: onnxcmp {ours:.2f} s, onnxruntime {theirs:.2f} s", end="")
    print(f", {ours / theirs:.1f} times")


if __name__ == "__main__":
    main()
