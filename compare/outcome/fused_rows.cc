#include "compare/outcome/fused_rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "record/base/work_bounds.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

bool ComputesSomething(const StreamNode& node) {
  return node.op_type != "Identity" && node.op_type != "Constant";
}

std::vector<int> NodesOfResults(absl::Span<const int> results, const ResultStream& stream) {
  std::vector<int> nodes;
  for (const int r : results) {
    const int node = stream.results[Index(r)].node;
    if (node != kNone && ComputesSomething(stream.nodes[Index(node)])) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

std::vector<absl::string_view> Operators(const std::vector<int>& nodes,
                                         const ResultStream& stream) {
  std::vector<absl::string_view> operators;
  for (const int node : nodes) operators.push_back(stream.nodes[Index(node)].op_type);
  return operators;
}

void Add(const std::vector<int>& nodes, std::vector<int>* to) {
  to->insert(to->end(), nodes.begin(), nodes.end());
  std::sort(to->begin(), to->end());
  to->erase(std::unique(to->begin(), to->end()), to->end());
}

std::string Chain(const std::vector<int>& nodes, const ResultStream& stream) {
  std::string text;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.size() > work_bounds::kShown && i == work_bounds::kShown / 2) {
      absl::StrAppend(&text, "+…");
      i = nodes.size() - work_bounds::kShown / 2;
    }
    absl::StrAppend(&text, i == 0 ? "" : "+",
                    PrintableText(stream.nodes[static_cast<size_t>(nodes[i])].op_type));
  }
  return text;
}

}  // namespace

std::vector<FusedRows> FindFusedRows(const Comparison& comparison) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[i].aligned;
    if (Has(row.marks, Mark::kFused) && row.paired()) rows.push_back(i);
  }
  // Joins rows that share a node.
  std::vector<size_t> parent(rows.size());
  std::iota(parent.begin(), parent.end(), size_t{0});
  const auto root = [&](size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::vector<FusedRows> by_row(rows.size());
  absl::flat_hash_map<int, size_t> left_rows;
  absl::flat_hash_map<int, size_t> right_rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[rows[i]].aligned;
    by_row[i].left = NodesOfResults(row.left, comparison.left);
    by_row[i].right = NodesOfResults(row.right, comparison.right);
    const auto join = [&](const std::vector<int>& nodes, absl::flat_hash_map<int, size_t>* first) {
      for (const int node : nodes) {
        parent[root(first->try_emplace(node, i).first->second)] = root(i);
      }
    };
    join(by_row[i].left, &left_rows);
    join(by_row[i].right, &right_rows);
  }
  std::vector<FusedRows> joined(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    FusedRows& fusion = joined[root(i)];
    Add(by_row[i].left, &fusion.left);
    Add(by_row[i].right, &fusion.right);
    fusion.rows.push_back(rows[i]);
  }
  std::erase_if(joined, [&](const FusedRows& f) {
    return f.left.empty() || f.right.empty() ||
           Operators(f.left, comparison.left) == Operators(f.right, comparison.right);
  });
  std::sort(joined.begin(), joined.end(),
            [](const FusedRows& a, const FusedRows& b) { return a.rows.back() < b.rows.back(); });
  return joined;
}

std::string FusedRowsText(const Comparison& comparison, const FusedRows& fusion) {
  return absl::StrCat(Chain(fusion.left, comparison.left), " → ",
                      Chain(fusion.right, comparison.right));
}

}  // namespace onnxcmp
