// The address that drafts are asked for.
//
// Promise: only https, or http to this machine itself, since sources and key go there; and no part
// that could carry a credential, since the address is stored.
#pragma once

#include <string>

namespace leaseproof::scenarios::lab {

// Empty when the address is good, else why not and how to mend it; quotes nothing of the address
// but its scheme and host.
std::string complaint_about_endpoint(const std::string& address);

// http to this machine: such a call must not take a proxy.
bool is_loopback_http(const std::string& address);

}  // namespace leaseproof::scenarios::lab
