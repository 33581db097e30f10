/*
 * refusals.h: calls that nvcc refuses and a host compiler would take: from the wrong side, or of
 * a kernel without <<<>>>.  A call is refused only where every function that its name may mean
 * stands on the other side.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

void refuse_calls(void); /* when all functions are known */
