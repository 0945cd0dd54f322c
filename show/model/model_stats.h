// A model in numbers.
#ifndef ONNXCMP_SHOW_MODEL_MODEL_STATS_H_
#define ONNXCMP_SHOW_MODEL_MODEL_STATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

struct ModelStats {
  struct Operator {
    std::string op;
    int64_t nodes = 0;
    int64_t parameters = 0;  // elements of constants that its nodes are the first to read
    int64_t bytes = 0;
    double operations = 0;
    int64_t not_counted = 0;  // nodes of it whose operations are not known, though it has some
  };
  struct Type {
    DType dtype = DType::kUndefined;
    int64_t constants = 0;
    int64_t parameters = 0;
    int64_t bytes = 0;
  };
  struct Scope {
    std::string name;
    int64_t nodes = 0;
    int64_t parameters = 0;
    int64_t bytes = 0;
    double operations = 0;
  };
  int64_t nodes = 0;  // with those of subgraphs, a call of a function as one
  int64_t parameters = 0;
  int64_t bytes = 0;
  int64_t unread = 0;               // constants that no node reads
  std::vector<Operator> operators;  // the most frequent first
  std::vector<Type> types;          // the largest first
  std::vector<Scope> scopes;        // in the order of the nodes
  double operations = 0;
  int64_t not_counted = 0;
};

// `operations` of the nodes must have been set (CountOperations) or are not known.
ModelStats StatsOf(const ShownModel& model);

// Additions and multiplications of each node of the main graph, from the types that are known; what
// stays unknown has free dimensions or an operator that has none.
void CountOperations(ShownModel* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_MODEL_STATS_H_
