// Values of the store that go to disk: a thread writes them, while others go on.

#include <flowray/errors.h>
#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <utility>

#include "ray/driver/driver_backend.h"

namespace flowray::ray {

void DriverBackend::start_spill(ObjectId object, const Extent& value) {
  if (!config_.object_spilling)
    throw errors::ResourceExhaustedError("values are not spilled to disk, by Init's object_spilling");
  want_disk({object, value, regions_.at(value.slab.value), {}});
}

void DriverBackend::restore(const Spilled& value, const Extent& to) {
  spill_file_.read(value, regions_.at(to.slab.value)->bytes().subspan(to.offset, to.size_bytes));
}

void DriverBackend::forget(const Spilled& value) { want_disk({{}, {}, nullptr, value}); }

void DriverBackend::want_disk(DiskJob job) {
  if (stopping_) return;  // it goes with the file
  if (!disk_thread_.joinable()) {
    try {
      disk_thread_ = std::thread([this] { use_disk(); });
    } catch (const std::system_error& error) {
      throw errors::ResourceExhaustedError(
          fmt::format("values cannot be spilled to disk: no thread can be started for it: {}", error.what()));
    }
  }
  disk_jobs_.push_back(std::move(job));
  disk_wanted_.notify_one();
}

/// The thread's main function.
void DriverBackend::use_disk() noexcept {
  MutexLock lock(mutex_);
  while (true) {
    disk_wanted_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return stopping_ || !disk_jobs_.empty(); });
    if (stopping_) return;
    DiskJob job = std::move(disk_jobs_.front());
    disk_jobs_.pop_front();
    lock.unlock();
    std::exception_ptr trouble;
    try {
      do_job(job);
    } catch (...) {
      trouble = std::current_exception();
    }
    lock.lock();
    if (!job.object || !is_running()) continue;
    try {
      tell_of_spill(job, trouble);
    } catch (...) {
      break_down();
    }
  }
}

/// The owner keeps a value in its place until it is told that it was written.
void DriverBackend::do_job(DiskJob& job) {
  if (job.object) {
    job.spilled = spill_file_.write(job.region->bytes().subspan(job.extent.offset, job.extent.size_bytes));
  } else {
    spill_file_.remove(job.spilled);
  }
}

void DriverBackend::tell_of_spill(const DiskJob& job, const std::exception_ptr& trouble) {
  disarm();  // the service thread looks anew for how long it may sleep, behind what the owner does now
  if (trouble == nullptr) {
    owner_->on_spilled(job.object, job.spilled);
  } else {
    try {
      std::rethrow_exception(trouble);
    } catch (const std::exception& error) {
      owner_->on_spill_failed(job.object, error.what());
    }
  }
  waiting_room_->wake_all();
}

void DriverBackend::end_disk_thread() {
  std::thread ending;
  {
    const MutexLock lock(mutex_);
    ending = std::move(disk_thread_);
  }
  if (ending.joinable()) ending.join();
}

}  // namespace flowray::ray
