// Classes of left results with equal bits, against which the search for causes matches: copies and
// duplicated constants are one class.
#ifndef ONNXCMP_RECORD_GRAPHS_VALUE_CLASSES_H_
#define ONNXCMP_RECORD_GRAPHS_VALUE_CLASSES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class ValueClasses {
 public:
  // `values`: by result; empty for unwanted ones. The graph must outlive the classes. The pool may
  // be null.
  ValueClasses(const SideGraph& graph, std::vector<Value> values, const ThreadPool* pool = nullptr);

  const SideGraph& graph() const { return graph_; }
  const ThreadPool* pool() const { return pool_; }
  int size() const { return static_cast<int>(classes_.size()); }
  // kNone for results outside the main graph, or without a value.
  int of(int result) const { return result == kNone ? kNone : of_[Index(result)]; }
  int Find(const Hash128& content) const;

  const std::vector<int>& members(int c) const { return At(c).members; }
  // The member that reports name: a computed one if there is any.
  int representative(int c) const { return At(c).representative; }
  bool computed(int c) const { return graph_.IsComputed(representative(c)); }
  bool constant(int c) const { return At(c).constant; }
  const Value& value(int c) const { return At(c).value; }
  // The value of a result; empty if it has no class.
  const Value& value_of(int result) const {
    return of(result) == kNone ? no_value_ : value(of(result));
  }
  const StreamResult& result(int c) const { return graph_.result(representative(c)); }
  // Requires a tensor of numbers.
  const Measured& measured(int c) const;
  const Sample& sample(int c) const;
  // An upper bound of the scale of a class of floats, without reading its elements if it has a
  // fingerprint.
  double scale_bound(int c) const;
  // Nodes of the operator of `like` whose inputs are exactly these classes, in any order, without
  // absent inputs. In order.
  std::vector<int> NodesOn(const StreamNode& like, std::vector<int> classes) const;
  const std::vector<int>& of_shape(const Shape& shape) const;
  // Classes of that shape that a value may be within `limit` of, by Distance(); in order. If
  // thousands have the same shape, few remain. `scale`: at least that of the value, or those of all
  // the classes.
  std::vector<int> MayBeWithin(const Shape& shape, const Sample& own, double scale,
                               double limit) const;
  // An upper bound of the scales of all classes of floats of that shape.
  double scale_bound_of(const Shape& shape) const;
  // The shapes of classes with that many elements.
  absl::Span<const Shape> shapes_of(int64_t elements) const;

 private:
  // Classes of one shape, sorted by the sums of their samples.
  struct BySum {
    absl::flat_hash_map<DType, std::vector<std::pair<double, int>>> sorted;
    std::vector<int> others;  // without a finite sum
    double scale_bound = 0;
  };
  struct Class {
    std::vector<int> members;
    int representative = kNone;
    bool constant = false;  // true if any member is
    Value value;
    // Computed on demand; the sample rules most classes out.
    mutable std::optional<Measured> measured;
    mutable std::optional<Sample> sample;
  };
  const Class& At(int c) const { return classes_[Index(c)]; }
  const BySum& by_sum(const Shape& shape) const;

  const SideGraph& graph_;
  const Value no_value_;
  const ThreadPool* pool_;
  std::vector<int> of_;
  std::vector<Class> classes_;
  absl::flat_hash_map<Hash128, int> by_content_;
  absl::flat_hash_map<Shape, std::vector<int>> by_shape_;
  absl::flat_hash_map<int64_t, std::vector<Shape>> shapes_;  // by their elements
  mutable absl::node_hash_map<Shape, BySum> by_sum_;
  // Nodes by the hash of operator and classes of inputs, computed on first use.
  mutable std::optional<absl::flat_hash_map<Hash128, std::vector<int>>> nodes_on_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_VALUE_CLASSES_H_
