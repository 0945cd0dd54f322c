"""samples_models.py FOLDER: trains small networks on data that packages ship, and quantizes them.

Writes for each network its float model, converted ones (qdq, qoperator, dynamic, float16), test
samples and labels: digits_cnn and digits_mobile on scikit-learn's digits, words_bert on texts of
English and Italian number words. It takes some minutes and needs torch, onnx, onnxruntime,
scikit-learn and numpy. The numbers of docs/quantization.md come from these models.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime.quantization as ort_quantization
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType
from sklearn.datasets import load_digits
from torch import nn


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def digits():
    data = load_digits()
    images = (data.images / 16).astype(np.float32)[:, None]
    images = np.kron(images, np.ones((1, 1, 2, 2), np.float32))
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order], data.target[order]
    return (images[:1297], labels[:1297]), (images[1297:], labels[1297:])


def block(inputs, outputs, stride):
    return nn.Sequential(
        nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs), nn.BatchNorm2d(inputs),
        nn.ReLU6(), nn.Conv2d(inputs, outputs, 1), nn.BatchNorm2d(outputs), nn.ReLU6())


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
        nn.Conv2d(32, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))


def mobile():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 1, 1), nn.BatchNorm2d(16), nn.ReLU6(), block(16, 32, 2), block(32, 32, 1),
        block(32, 64, 2), block(64, 64, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(64, 10))


class Bert(nn.Module):
    """Two encoder layers with a mask, and the mean of the tokens that count."""

    def __init__(self, words=40, width=32, classes=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(32, width)
        self.layers = nn.ModuleList(
            nn.ModuleDict({"q": nn.Linear(width, width), "k": nn.Linear(width, width),
                           "v": nn.Linear(width, width), "o": nn.Linear(width, width),
                           "n1": nn.LayerNorm(width), "up": nn.Linear(width, 64),
                           "down": nn.Linear(64, width), "n2": nn.LayerNorm(width)})
            for _ in range(2))
        self.head = nn.Linear(width, classes)

    def forward(self, input_ids, attention_mask):
        batch, length = input_ids.shape
        x = self.words(input_ids) + self.places(torch.arange(length))
        away = (1.0 - attention_mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            def heads(name):
                return layer[name](x).reshape(batch, length, 4, 8).transpose(1, 2)
            scores = heads("q") @ heads("k").transpose(-1, -2) / 8 ** 0.5 + away
            mixed = (scores.softmax(-1) @ heads("v")).transpose(1, 2).reshape(batch, length, 32)
            x = layer["n1"](x + layer["o"](mixed))
            x = layer["n2"](x + layer["down"](torch.relu(layer["up"](x))))
        counts = attention_mask[:, :, None].float()
        return self.head((x * counts).sum(1) / counts.sum(1))


def texts(count, seed):
    """Ids of words of two languages; the class is the one that has more of them."""
    random = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(count):
        length = int(random.integers(5, 13))
        label = int(random.integers(2))
        other = random.random(length) < random.uniform(0.1, 0.4)
        ids = random.integers(2, 21, length) + 19 * (label ^ other)
        if (other.sum() * 2) >= length:
            label = 1 - label
        rows.append(ids)
        labels.append(label)
    return rows, np.array(labels)


def padded(rows, length=12):
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
        mask[i, :len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def train(model, inputs, labels, epochs):
    torch.manual_seed(0)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    tensors = [torch.from_numpy(value) for value in inputs.values()]
    labels = torch.from_numpy(labels)
    for _ in range(epochs):
        for part in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(*(t[part] for t in tensors)), labels[part])
            loss.backward()
            optimizer.step()
    model.eval()


def export(model, inputs, path):
    one = tuple(torch.from_numpy(value[:1]) for value in inputs.values())
    torch.onnx.export(model, one, path, input_names=list(inputs), output_names=["logits"],
                      dynamic_axes={name: {0: "batch"} for name in [*inputs, "logits"]},
                      opset_version=17, dynamo=False)


def convert(folder, name, inputs, exclude):
    plain = str(folder / f"{name}.onnx")
    calibration = [{key: value[i:i + 1] for key, value in inputs.items()} for i in range(64)]
    for form, qformat in [("qdq", QuantFormat.QDQ), ("qoperator", QuantFormat.QOperator)]:
        ort_quantization.quantize_static(
            plain, str(folder / f"{name}_{form}.onnx"), Reader(calibration), quant_format=qformat,
            per_channel=True, nodes_to_exclude=exclude, weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8)
    ort_quantization.quantize_dynamic(plain, str(folder / f"{name}_dynamic.onnx"),
                                      weight_type=QuantType.QInt8)
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(plain), keep_io_types=True),
              str(folder / f"{name}_float16.onnx"))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (images, labels), (test_images, test_labels) = digits()
    (rows, word_labels), (test_rows, test_word_labels) = texts(2000, 1), texts(500, 2)
    for name, make, inputs, answers, test, test_answers, epochs in [
            ("digits_cnn", cnn, {"image": images}, labels, {"image": test_images}, test_labels, 12),
            ("digits_mobile", mobile, {"image": images}, labels, {"image": test_images},
             test_labels, 15),
            ("words_bert", Bert, padded(rows), word_labels, padded(test_rows), test_word_labels,
             10)]:
        torch.manual_seed(0)
        model = make()
        train(model, inputs, answers.astype(np.int64), epochs)
        export(model, inputs, str(folder / f"{name}.onnx"))
        # A mask of -1e4 takes all of an 8-bit range.
        convert(folder, name, inputs, ["/Add_1", "/Softmax", "/Add_4", "/Softmax_1"])
        np.savez(folder / f"{name}_samples.npz", **test)
        np.save(folder / f"{name}_labels.npy", test_answers)
        print(name, "trained and converted")


if __name__ == "__main__":
    main()
