#include "ops/traditionalml/category_kernel.h"

#include <iterator>
#include <memory>
#include <utility>

namespace onnxcmp {
namespace {

struct Table {
  KeyIndex index;
  Tensor values;  // and the default after them
};

absl::StatusOr<std::shared_ptr<const Table>> MakeTable(const Categories& categories) {
  Table table;
  table.index = KeyIndex(categories.keys, categories.float_keys);
  OC_ASSIGN_OR_RETURN(table.values, WithLast(categories.values, categories.otherwise));
  return std::make_shared<const Table>(std::move(table));
}

absl::Status Run(KernelContext& ctx, const Table& table) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> found,
                      table.index.Find(ctx, x, table.values.num_elements() - 1));
  OC_ASSIGN_OR_RETURN(Tensor y, PickElements(ctx, table.values, found, x.shape()));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

Kernel CategoryKernel(const Categories& categories) {
  auto table = MakeTable(categories);
  return [table](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(table.status());
    return Run(ctx, **table);
  };
}

Kernel TwoWayCategoryKernel(const KernelInit& node, const std::vector<std::string>& strings,
                            const std::vector<int64_t>& ints) {
  const Tensor names = Tensor::Of<std::string>({std::ssize(strings)}, strings);
  const Tensor numbers = Tensor::Of<int64_t>({std::ssize(ints)}, ints);
  const Kernel to_ints = CategoryKernel(
      {.keys = names, .values = numbers, .otherwise = Tensor::Scalar(node.Int("default_int64"))});
  const Kernel to_strings =
      CategoryKernel({.keys = numbers,
                      .values = names,
                      .otherwise = Tensor::Scalar(node.String("default_string"))});
  return [to_ints, to_strings](KernelContext& ctx) {
    return ctx.Input(0).dtype() == DType::kString ? to_ints(ctx) : to_strings(ctx);
  };
}

}  // namespace onnxcmp
