"""A torch module against the model that was exported from it.

python examples/python/torch_export.py
"""

import sys

import torch

import onnxcmp
from onnxcmp.runtimes import Torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(16)
        self.up = torch.nn.Linear(16, 32)
        self.down = torch.nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def main():
    torch.manual_seed(0)
    block, args = Block().eval(), (torch.randn(2, 5, 16),)
    exported = torch.onnx.export(block, args, dynamo=True)
    comparison = onnxcmp.compare(Torch(block, args), exported)
    print(comparison)
    return comparison.exit_status


if __name__ == "__main__":
    sys.exit(main())
