export const protocolVersion = '1.0';

/** Names of custom events begin so: others have custom events, too. */
export const customPrefix = 'runwire.';

/** Why a run that waits for a permission is interrupted. */
export const approvalReason = 'tool_approval';
