#include "look_up.h"

const struct look_up* const kLookUps[] = {&kLookUpLm, &kLookUpMl, &kLookUpSq,
                                          &kLookUpSg, &kLookUpBt, &kLookUpDx};
const uint32_t kLookUpCount = sizeof(kLookUps) / sizeof(kLookUps[0]);
