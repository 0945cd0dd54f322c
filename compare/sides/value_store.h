// The values of one side that outlive its run: their one owner.
#ifndef ONNXCMP_COMPARE_SIDES_VALUE_STORE_H_
#define ONNXCMP_COMPARE_SIDES_VALUE_STORE_H_

#include <cstdint>

#include "compare/sides/value_bank.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Keeps what fits into two budgets: one for all steps, one for the cause search alone, which is
// given back when the search has what it needs. Other values take a further run (VisitValues).
class ValueStore {
 public:
  ValueStore() = default;
  // In bytes. `for_search` 0: there will be no search.
  ValueStore(int64_t budget, int64_t for_search) : kept_(budget), for_search_(for_search) {}

  // Null if it is not kept. Valid until it is dropped.
  const Value* Find(int result) const {
    const Value* const kept = kept_.Find(result);
    return kept != nullptr ? kept : for_search_.Find(result);
  }
  bool Keep(int result, const Value& value, bool free = false) {
    return kept_.Keep(result, value, free);
  }
  // From here on further runs keep what the search will want.
  void ServeSearch() { serves_search_ = true; }
  bool serves_search() const { return serves_search_; }
  // False if there is no room, or no search to serve.
  bool KeepForSearch(int result, const Value& value) {
    return serves_search_ && for_search_.Keep(result, value);
  }
  void Drop(int result) {
    kept_.Drop(result);
    for_search_.Drop(result);
  }

  // The search has taken what it needs, or there will be none.
  void EndSearch() {
    for_search_.Clear();
    serves_search_ = false;
  }
  // A value of an ended search that the table will show, until EndSearch(). It is in memory.
  void TakeOver(int result, const Value& value) { for_search_.Keep(result, value, /*free=*/true); }

  // Both parts while the side runs, for ValueKeeper, which moves values from one to the other.
  ValueBank& kept() { return kept_; }
  ValueBank& for_search() { return for_search_; }

 private:
  ValueBank kept_{0};
  ValueBank for_search_{0};
  bool serves_search_ = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_VALUE_STORE_H_
