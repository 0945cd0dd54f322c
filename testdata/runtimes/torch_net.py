"""A small network for the tests of torch as a runtime. torch_net.onnx is what PyTorch's exporter makes
of it: python3 torch_net.py (torch 2.15, onnxscript)."""

import torch


class Block(torch.nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.first = torch.nn.Linear(8, 16)
        self.act = torch.nn.LeakyReLU(slope)
        self.second = torch.nn.Linear(16, 8)

    def forward(self, x):
        return x + self.second(self.act(self.first(self.norm(x))))


class Net(torch.nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(0.1), Block(slope)])
        self.bn = torch.nn.BatchNorm1d(8)
        self.head = torch.nn.Linear(8, 4)

    def forward(self, x, mask):
        for block in self.blocks:
            x = block(x)
        x = self.bn(x.transpose(1, 2)).transpose(1, 2)
        x = torch.where(mask[..., None] > 0, x, torch.zeros_like(x))
        values, _ = torch.topk(x, 2)
        return torch.softmax(self.head(x), -1), values


def make(slope=0.1):
    torch.manual_seed(0)
    mask = torch.tensor([[1, 1, 0, 1, 1], [1, 1, 1, 1, 0]])
    return Net(slope).eval(), (torch.randn(2, 5, 8), mask)


def make_other():
    """The same weights, and another slope in the second block."""
    return make(0.3)


if __name__ == "__main__":
    import onnx

    net, arguments = make()
    model = torch.onnx.export(net, arguments, dynamo=True).model_proto
    for node in model.graph.node:
        # Paths of the machine.
        kept = [p for p in node.metadata_props if not p.key.endswith("stack_trace")]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    onnx.save(model, "torch_net.onnx")
