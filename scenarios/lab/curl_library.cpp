#include "scenarios/lab/curl_library.hpp"

#include <dlfcn.h>

namespace leaseproof::scenarios::lab {

namespace {

// The name that the headers here belong to.
constexpr const char* library_name = "libcurl.so.4";

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) {
    throw NoNetworkLibrary{std::string(library_name) + " has no " + name +
                           "; install libcurl4 7.85 or newer"};
  }
  function = reinterpret_cast<Function>(found);
}

CurlLibrary load() {
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw NoNetworkLibrary{std::string(library_name) + " cannot be loaded; install libcurl4"};
  }
  CurlLibrary curl{};
  look_up(library, "curl_easy_init", curl.easy_init);
  look_up(library, "curl_easy_setopt", curl.easy_setopt);
  look_up(library, "curl_easy_perform", curl.easy_perform);
  look_up(library, "curl_easy_getinfo", curl.easy_getinfo);
  look_up(library, "curl_easy_cleanup", curl.easy_cleanup);
  look_up(library, "curl_slist_append", curl.slist_append);
  look_up(library, "curl_slist_free_all", curl.slist_free_all);
  look_up(library, "curl_url", curl.url);
  look_up(library, "curl_url_set", curl.url_set);
  look_up(library, "curl_url_get", curl.url_get);
  look_up(library, "curl_url_cleanup", curl.url_cleanup);
  look_up(library, "curl_free", curl.free);
  return curl;
}

}  // namespace

const CurlLibrary& curl() {
  static const CurlLibrary library = load();
  return library;
}

}  // namespace leaseproof::scenarios::lab
