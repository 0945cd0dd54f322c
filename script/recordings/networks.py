"""Networks with random weights: functions that give a module and its inputs by name."""

import contextlib
import io
import os
import random
import sys

import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(24, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
            for _ in range(depth))
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = x + block(x)
        return self.out(x)


class ConvBn(nn.Sequential):
    def __init__(self, a, b, stride=1, act=nn.ReLU, groups=1, size=3):
        layers = [nn.Conv2d(a, b, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(b)]
        super().__init__(*layers, *([act()] if act else []))


class Cnn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = ConvBn(3, c)
        self.pool = nn.MaxPool2d(2)
        self.body = nn.Sequential(ConvBn(c, 2 * c, 2), ConvBn(2 * c, 2 * c), ConvBn(2 * c, 3 * c, 2))
        self.gap = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(3 * c, 7)

    def forward(self, image):
        return self.fc(self.gap(self.body(self.pool(self.stem(image)))).flatten(1))


class Residual(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1, self.conv2 = ConvBn(a, b, stride), ConvBn(b, b, act=None)
        self.down = ConvBn(a, b, stride, act=None, size=1) if stride > 1 or a != b else nn.Identity()
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.conv2(self.conv1(x)) + self.down(x))


class ResNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = ConvBn(3, c)
        self.layer1 = nn.Sequential(Residual(c, c, 1), Residual(c, c, 1))
        self.layer2 = nn.Sequential(Residual(c, 2 * c, 2), Residual(2 * c, 2 * c, 1))
        self.fc = nn.Linear(2 * c, 10)

    def forward(self, image):
        return self.fc(self.layer2(self.layer1(self.stem(image))).mean((2, 3)))


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.down, self.act, self.up, self.gate = nn.Conv2d(c, 4, 1), nn.ReLU(), nn.Conv2d(4, c, 1), nn.Hardsigmoid()

    def forward(self, x):
        return x * self.gate(self.up(self.act(self.down(x.mean((2, 3), keepdim=True)))))


class MobileNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        blocks = []
        for stride in (1, 2, 1):
            blocks.append(nn.Sequential(ConvBn(c, 3 * c, size=1, act=nn.ReLU6),
                                        ConvBn(3 * c, 3 * c, stride, nn.Hardswish, groups=3 * c),
                                        SqueezeExcite(3 * c), ConvBn(3 * c, c, size=1, act=None)))
        self.stem, self.blocks, self.head = ConvBn(3, c, 2, nn.Hardswish), nn.Sequential(*blocks), nn.Linear(c, 9)

    def forward(self, image):
        return self.head(self.blocks(self.stem(image)).mean((2, 3)))


class UNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc1, self.enc2 = ConvBn(3, c, act=nn.SiLU), ConvBn(c, 2 * c, 2, nn.SiLU)
        self.mid = ConvBn(2 * c, 2 * c, 2, nn.SiLU)
        self.up = nn.Upsample(scale_factor=2)
        self.dec2, self.dec1 = ConvBn(4 * c, c, act=nn.SiLU), ConvBn(2 * c, c, act=nn.SiLU)
        self.head = nn.Conv2d(c, 4, 1)

    def forward(self, image):
        a = self.enc1(image)
        b = self.enc2(a)
        x = self.dec2(torch.cat([self.up(self.mid(b)), b], 1))
        return self.head(self.dec1(torch.cat([self.up(x), a], 1)))


class Attention(nn.Module):
    def __init__(self, d, heads, causal=False, rope=False):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.heads, self.causal, self.rope = heads, causal, rope

    def turn(self, x):
        if not self.rope:
            return x
        half = x.shape[-1] // 2
        at = torch.arange(x.shape[-2], dtype=torch.float32)[:, None] * 100.0 ** (-torch.arange(half) / half)
        cos, sin = at.cos().to(x.dtype), at.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def forward(self, x):
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = self.turn(split(self.q(x))), self.turn(split(self.k(x))), split(self.v(x))
        scores = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5)
        if self.causal:
            scores = scores.masked_fill(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1), -1e9)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class BertLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attention, self.norm1 = Attention(d, 4), nn.LayerNorm(d)
        self.dense1, self.act, self.dense2 = nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d)
        self.drop, self.norm2 = nn.Dropout(), nn.LayerNorm(d)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.drop(self.dense2(self.act(self.dense1(x)))))


class Bert(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.embed, self.position, self.norm = nn.Embedding(90, d), nn.Embedding(32, d), nn.LayerNorm(d)
        self.layer = nn.ModuleList(BertLayer(d) for _ in range(depth))

    def forward(self, input_ids):
        x = self.norm(self.embed(input_ids) + self.position(torch.arange(input_ids.shape[1])))
        for layer in self.layer:
            x = layer(x)
        return x


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class GatedMlp(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = nn.Linear(d, 2 * d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, d, norm, mlp, rope):
        super().__init__()
        self.input_layernorm, self.self_attn = norm(d), Attention(d, 4, causal=True, rope=rope)
        self.post_attention_layernorm, self.mlp = norm(d), mlp(d)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, d, depth, norm, mlp, rope):
        super().__init__()
        self.embed_tokens = nn.Embedding(80, d)
        self.layers = nn.ModuleList(DecoderLayer(d, norm, mlp, rope) for _ in range(depth))
        self.norm, self.lm_head = norm(d), nn.Linear(d, 80, bias=False)

    def forward(self, input_ids):
        x = self.embed_tokens(input_ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


class Vit(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, d))
        self.blocks = nn.ModuleList(BertLayer(d) for _ in range(depth))
        self.head = nn.Linear(d, 6)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])


class Tagger(nn.Module):
    def __init__(self, d, kind):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(70, d), kind(d, d, batch_first=True, bidirectional=True)
        self.norm, self.out = nn.LayerNorm(2 * d), nn.Linear(2 * d, 12)

    def forward(self, input_ids):
        return self.out(self.norm(self.rnn(self.embed(input_ids))[0]))


class ConvNextBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dw, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c)
        self.pw1, self.act, self.pw2 = nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)

    def forward(self, x):
        y = self.norm(self.dw(x).permute(0, 2, 3, 1))
        return x + self.pw2(self.act(self.pw1(y))).permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem, self.stages = nn.Conv2d(3, c, 4, 4), nn.Sequential(*(ConvNextBlock(c) for _ in range(3)))
        self.head = nn.Linear(c, 8)

    def forward(self, image):
        return self.head(self.stages(self.stem(image)).mean((2, 3)))


class MixerBlock(nn.Module):
    def __init__(self, tokens, d):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.tokens = nn.Sequential(nn.Linear(tokens, 24), nn.GELU(), nn.Linear(24, tokens))
        self.channels = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.patch, self.blocks = nn.Conv2d(3, d, 8, 8), nn.Sequential(MixerBlock(16, d), MixerBlock(16, d))
        self.head = nn.Linear(d, 5)

    def forward(self, image):
        return self.head(self.blocks(self.patch(image).flatten(2).transpose(1, 2)).mean(1))


class Tcn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv1d(c, c, 3, padding=d, dilation=d) for d in (1, 2, 4))
        self.norms = nn.ModuleList(nn.BatchNorm1d(c) for _ in range(3))
        self.act, self.inp, self.out = nn.LeakyReLU(0.1), nn.Conv1d(5, c, 1), nn.Conv1d(c, 3, 1)

    def forward(self, signal):
        x = self.inp(signal)
        for conv, norm in zip(self.convs, self.norms):
            x = x + self.act(norm(conv(x)))
        return self.out(x)


def image(rng):
    return {"image": torch.randn(rng.choice([1, 2]), 3, 32, 32)}


def tokens(rng, most=70):
    return {"input_ids": torch.randint(0, most, (rng.choice([1, 2]), rng.choice([9, 12, 16])))}


NETWORKS = {
    "mlp": lambda r: (Mlp(r.choice([32, 40]), 3), {"x": torch.randn(r.choice([2, 5]), 24)}),
    "cnn": lambda r: (Cnn(r.choice([8, 12])), image(r)),
    "resnet": lambda r: (ResNet(r.choice([8, 12])), image(r)),
    "mobilenet": lambda r: (MobileNet(r.choice([8, 12])), image(r)),
    "unet": lambda r: (UNet(r.choice([6, 8])), image(r)),
    "bert": lambda r: (Bert(32, r.choice([2, 3])), tokens(r)),
    "gpt": lambda r: (Decoder(32, 2, nn.LayerNorm, GatedMlp, False), tokens(r)),
    "llama": lambda r: (Decoder(32, r.choice([2, 3]), RmsNorm, GatedMlp, True), tokens(r)),
    "vit": lambda r: (Vit(32, 2), image(r)),
    "lstm": lambda r: (Tagger(24, nn.LSTM), tokens(r)),
    "gru": lambda r: (Tagger(24, nn.GRU), tokens(r)),
    "convnext": lambda r: (ConvNext(16), image(r)),
    "mixer": lambda r: (Mixer(24), image(r)),
    "tcn": lambda r: (Tcn(r.choice([12, 16])), {"signal": torch.randn(2, 5, 40)}),
}
OF_IMAGES = {"cnn", "resnet", "mobilenet", "unet"}


def network(name, seed):
    torch.manual_seed(seed)
    module, inputs = NETWORKS[name](random.Random(seed))
    # Even seeds are as new: a folded normalization leaves next to nothing.
    for m in module.modules() if seed % 2 else []:
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            for tensor, low, high in ((m.weight, 0.6, 1.5), (m.bias, -0.4, 0.4), (m.running_mean, -0.5, 0.5),
                                      (m.running_var, 0.3, 1.6)):
                nn.init.uniform_(tensor, low, high)
        elif isinstance(m, (nn.LayerNorm, RmsNorm)):
            nn.init.uniform_(m.weight, 0.6, 1.5)
    return module.eval(), inputs


def export(module, inputs, dynamo, path):
    if os.path.exists(path):
        return True
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if dynamo:
                torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), dynamo=True,
                                  external_data=False, output_names=["output"])
            else:
                torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), dynamo=False,
                                  opset_version=17, output_names=["output"])
        return True
    except Exception as error:  # an exporter's own limits are no business of ours
        print(f"{path}: not exported: {str(error)[:100]}", file=sys.stderr)
        return False
