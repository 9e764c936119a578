export const protocolVersion = '1.0';

/** The prefix of our custom event names: other programs have custom events too. */
export const customPrefix = 'runwire.';

/** Why a run that waits for a permission is interrupted. */
export const approvalReason = 'tool_approval';
