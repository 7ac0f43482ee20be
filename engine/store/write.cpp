#include "engine/store/write.hpp"

namespace leaseproof::engine::store {

sqlite::Fault fault_of(faults::Injected injected) {
  switch (injected) {
    case faults::Injected::none:
    case faults::Injected::observer_throw:
      return sqlite::Fault::none;
    case faults::Injected::busy:
      return sqlite::Fault::busy;
    case faults::Injected::io_error:
      return sqlite::Fault::io_error;
    case faults::Injected::disk_full:
      return sqlite::Fault::full;
  }
  return sqlite::Fault::none;
}

void Write::first_change() {
  if (changed_) return;
  changed_ = true;
  const auto fault = fault_of(faults::hit(faults::point_of(call_, faults::Place::write)));
  if (fault != sqlite::Fault::none) db_->inject(fault);
}

}  // namespace leaseproof::engine::store
