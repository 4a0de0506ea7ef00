// SPDX-License-Identifier: Apache-2.0
// The commit that the command was built from, with "+changes" if files differed from it; "" if the build did
// not know it, as for sources from an archive. scripts/commit writes it.
#ifndef KN_CLI_COMMIT_H
#define KN_CLI_COMMIT_H

extern const char cli_commit[];

#endif
