#include "tests/compare/forced_sides.h"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/searched_values.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "ops/operators.h"
#include "record/graphs/replay.h"

namespace onnxcmp::testing {
namespace {

OpRegistry WithCount(const std::shared_ptr<int>& count) {
  OpRegistry registry = AllOperators();
  onnx::OpSchema schema("Count", __FILE__, __LINE__);
  schema.SetDomain("acme").SinceVersion(1).Input(0, "x", "", "T").Output(0, "y", "", "T");
  schema.TypeConstraint("T", {"tensor(float)"}, "");
  registry.AddSchema(std::move(schema));
  registry.Add("acme", "Count", {1}, [count](const KernelInit&) {
    return Kernel([count](KernelContext& ctx) {
      ++*count;
      return ctx.SetOutput(0, ctx.InputValue(0));
    });
  });
  return registry;
}

}  // namespace

ForcedSides::ForcedSides(const std::string& left, const std::string& right, const Tensor& x) {
  const OpRegistry registry = WithCount(count_);
  PerSide<RecordedSide> views;
  for (const SideId id : kBothSides) {
    const auto model =
        LoadModelFromText(absl::StrCat("<ir_version: 9, opset_import: [\"\": 18, \"acme\": 1]>\ng ",
                                       id == SideId::kLeft ? left : right),
                          registry);
    EXPECT_TRUE(model.ok()) << model.status();
    auto side = ModelSide::Create(*model, registry, {.threads = 1});
    EXPECT_TRUE(side.ok()) << side.status();
    sides_[id] = *std::move(side);
    sides_[id]->SetFeeds({{"x", x}});
    streams_[id] = sides_[id]->Record({}, [&](int number, const StreamResult&, const Value& value) {
      stores_[id].Keep(number, value);
      return absl::OkStatus();
    });
    EXPECT_TRUE(sides_[id]->summary().status.ok()) << sides_[id]->summary().status;
    graphs_[id].emplace(streams_[id], sides_[id]->evaluator());
    views[id] = {sides_[id].get(), &streams_[id], &stores_[id]};
  }
  auto values = AllValues(views.left, *graphs_.left, nullptr);
  EXPECT_TRUE(values.ok()) << values.status();
  classes_.emplace(*graphs_.left, *std::move(values));
  aligned_ = PartnersInOrder(Align(streams_.left, streams_.right), SideId::kRight);
  leaves_ = LeavesOf(*graphs_.right, *views.right.side->feeds());
  *count_ = 0;
}

int ForcedSides::TakeCount() { return std::exchange(*count_, 0); }

int ForcedSides::Find(SideId side, absl::string_view name) const {
  for (const int r : graphs_[side]->results()) {
    if (graphs_[side]->result(r).name == name) return r;
  }
  ADD_FAILURE() << "no result " << name;
  return kNone;
}

Tensor Irregular(int64_t size) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < size; ++i) {
    numbers.push_back(static_cast<float>(std::sin(1 + 12.9898 * static_cast<double>(i))));
  }
  return Tensor::Of<float>({size}, numbers);
}

}  // namespace onnxcmp::testing
