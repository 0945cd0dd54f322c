"""Llama, exported with its attention written out and with that of torch: the same numbers from
other nodes.

python examples/python/llama_twice.py      needs torch, transformers, onnxscript
"""

import sys

import torch
import transformers

import onnxcmp


class Logits(torch.nn.Module):
    """From tokens to logits alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids, use_cache=False).logits


def export(attention):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, attn_implementation=attention,
    )
    module = Logits(transformers.LlamaForCausalLM(config)).eval()
    tokens = torch.randint(0, 64, (1, 8))
    return torch.onnx.export(module, (tokens,), dynamo=True)


def main():
    comparison = onnxcmp.compare(export("eager"), export("sdpa"))
    print(comparison)
    return comparison.exit_status


if __name__ == "__main__":
    sys.exit(main())
