/* What manners.c does wrong: as many frames as the buffer has. */
#ifndef CAVERN_FIRMWARE_DRIVE_MANNERS_H
#define CAVERN_FIRMWARE_DRIVE_MANNERS_H

enum drive_manners {
    kMannersGood = 1,
    kMannersNeverReady,
    kMannersNeverAnswers,
    kMannersSleeps, /* instead of an answer */
    kMannersBadAccess,
    kMannersBadInstruction,
    kMannersMisaligned,
    kMannersExits,
    kMannersFailsAtStart,
    kMannersFindsAnError,
    kMannersWrongTag,
    kMannersRingsTwice,
    kMannersPopsTwice,
    kMannersNoAnswer,
    kMannersTwoAnswers,
    kMannersOtherPage,
    kMannersUnknownEntry,
    kMannersPageBeyond,
    kMannersLogicalPageBeyond,
    kMannersWaitsForItself,
    kMannersOperationsOfNoAnswer
};

#endif
