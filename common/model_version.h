/* SPDX-License-Identifier: MIT */
/* Version of the virtual machine's model. Reports record it, so that counts of two models are not
 * taken for counts of two programs. Raise it whenever a program counts differently than before
 * (tools/same-counts shows it) and say so in NEWS.md. */
#ifndef IPMU_MODEL_VERSION_H
#define IPMU_MODEL_VERSION_H

#define IPMU_MODEL_VERSION 6

#endif
