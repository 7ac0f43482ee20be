// libcurl, loaded by whoever first reaches for the network.
//
// Promise: every other command starts without it and the thirty libraries that it brings along,
// which an engine behind a pipe would pay for at each of its restarts. One table for the whole
// process.
#pragma once

#include <curl/curl.h>

#include <string>

namespace leaseproof::scenarios::lab {

// Thrown where it cannot be loaded: what is missing, and the mend.
struct NoNetworkLibrary {
  std::string text;
};

struct CurlLibrary {
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_free) free;
};

const CurlLibrary& curl();

}  // namespace leaseproof::scenarios::lab
