// A report as one page that needs nothing else: no network, no script, no other file.
//
// Promise: well-formed as XML, so that no text of a file can end what it stands in; each figure
// carries its places. Light or dark as the reader likes; readable from 1280 pixels on.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.hpp"

namespace leaseproof::reports {

std::string html(const Report& report);

// html_style.cpp
std::string_view page_style();

}  // namespace leaseproof::reports
