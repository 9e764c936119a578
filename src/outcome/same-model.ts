/** What providers add to the name of a model that they were asked for: the date or number of what is behind it. */
const snapshot =
  /^[-@:](?:\d{3,8}|\d{4}-\d\d-\d\d|\d\d-\d\d(?:-\d{4})?|v\d+(?::\d+)?|latest|preview|exp)(?:[-@:](?:\d{2,8}|v\d+))*$/;
/** Names that leave the choice to the provider. */
const anyModel = /(?:^|[/:-])auto$/;

/** Whether the model that answered is the one that was asked for, or a version of it. */
export function isSameModel(requested: string, served: string): boolean {
  const [wanted, given] = [bare(requested), bare(served)];
  if (wanted === given || anyModel.test(requested)) return true;
  return isVersion(given, wanted) || isVersion(wanted, given);
}

/** Whether a model is the one of this name, or a version of it. */
export function isModelOf(name: string, model: string): boolean {
  return bare(name) === bare(model) || isVersion(bare(model), bare(name));
}

function isVersion(long: string, short: string): boolean {
  return short !== '' && long.startsWith(short) && snapshot.test(long.slice(short.length));
}

/** Without the provider before it, what an agent adds behind it, and the word for its newest version. */
function bare(model: string): string {
  return model
    .toLowerCase()
    .slice(model.lastIndexOf('/') + 1)
    .replace(/\[[\w.-]{1,20}\]$/, '')
    .replace(/-latest$/, '');
}
