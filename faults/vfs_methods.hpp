// The tables of functions through which SQLite calls a VFS and its open files, filled from a type
// that has the functions as static members: `x_read` is xRead, and so on.
//
// Promise: for the VFSes of this folder alone. What a table leaves out, neither of them has.
#pragma once

#include <sqlite3.h>

namespace leaseproof::faults {

template <class Methods>
const sqlite3_io_methods* io_methods_of() {
  static const sqlite3_io_methods methods{2,
                                          Methods::x_close,
                                          Methods::x_read,
                                          Methods::x_write,
                                          Methods::x_truncate,
                                          Methods::x_sync,
                                          Methods::x_file_size,
                                          Methods::x_lock,
                                          Methods::x_unlock,
                                          Methods::x_check_reserved_lock,
                                          Methods::x_file_control,
                                          Methods::x_sector_size,
                                          Methods::x_device_characteristics,
                                          Methods::x_shm_map,
                                          Methods::x_shm_lock,
                                          Methods::x_shm_barrier,
                                          Methods::x_shm_unmap,
                                          nullptr,
                                          nullptr};
  return &methods;
}

// `file_bytes`: the memory that SQLite gives for an open file. `name` stays where it is for as long
// as the VFS is registered.
template <class Methods>
void fill(sqlite3_vfs& vfs, const char* name, int file_bytes, int path_bytes, void* data) {
  vfs.iVersion = 1;
  vfs.szOsFile = file_bytes;
  vfs.mxPathname = path_bytes;
  vfs.zName = name;
  vfs.pAppData = data;
  vfs.xOpen = Methods::x_open;
  vfs.xDelete = Methods::x_delete;
  vfs.xAccess = Methods::x_access;
  vfs.xFullPathname = Methods::x_full_pathname;
  vfs.xRandomness = Methods::x_randomness;
  vfs.xSleep = Methods::x_sleep;
  vfs.xCurrentTime = Methods::x_current_time;
  vfs.xGetLastError = Methods::x_get_last_error;
}

}  // namespace leaseproof::faults
