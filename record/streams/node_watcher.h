// The nodes of a run, for observers that know its results by number.
#ifndef ONNXCMP_RECORD_STREAMS_NODE_WATCHER_H_
#define ONNXCMP_RECORD_STREAMS_NODE_WATCHER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Remembers the node that made the last result.
class NodeWatcher : public Observer {
 public:
  // `inner` observes the run, too, and may be null.
  explicit NodeWatcher(Observer* inner) : inner_(inner) {}

  const Node* node() const { return node_; }

  void OnNodeStart(const NodeStart& start) override {
    if (inner_ != nullptr) inner_->OnNodeStart(start);
  }
  void OnGraphStart(const GraphStart& start) override {
    if (inner_ != nullptr) inner_->OnGraphStart(start);
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    node_ = result.node;
    return inner_ == nullptr ? absl::OkStatus() : inner_->OnResult(result, replacement);
  }

 private:
  Observer* inner_;
  const Node* node_ = nullptr;
};

// The node of the main graph that makes a result, by its index; -1 if there is none.
inline int64_t MainNodeOf(const Evaluator& evaluator, absl::string_view result) {
  const std::vector<Node>& nodes = evaluator.model().graph.nodes;
  const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const Node& candidate) {
    return std::find(candidate.outputs.begin(), candidate.outputs.end(), result) !=
           candidate.outputs.end();
  });
  return node == nodes.end() ? -1 : node - nodes.begin();
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_NODE_WATCHER_H_
