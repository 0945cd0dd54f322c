#include "compare/memory_limit.h"

#include <unistd.h>

#include <limits>

namespace onnxcmp {

int64_t MemoryLimit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages / 4 * 3 * page : std::numeric_limits<int64_t>::max();
}

}  // namespace onnxcmp
