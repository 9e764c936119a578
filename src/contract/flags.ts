import type { Option, RequestField, Taker } from './field.ts';
import { limitFields, requestFields, workspaceFields } from './request.ts';

const allFields = { ...requestFields, ...limitFields, ...workspaceFields } as const;
type AllFields = typeof allFields;

type FlagOf<Field> = Field extends {
  readonly flag: infer Flag extends Option & { readonly name: string; readonly also: readonly Taker[] };
}
  ? Flag
  : never;

/** The flags of `runwire run` that ask for something, by name. */
type RequestOptions = { [Name in keyof AllFields as FlagOf<AllFields[Name]>['name']]: FlagOf<AllFields[Name]> };

/** Those of them that another command takes too. */
type OptionsFor<Command extends Taker> = {
  [
    Name in keyof AllFields as Command extends FlagOf<AllFields[Name]>['also'][number]
      ? FlagOf<AllFields[Name]>['name']
      : never
  ]: FlagOf<AllFields[Name]>;
};

const flags = Object.values<RequestField<unknown>>(allFields).flatMap(({ flag }) => flag ?? []);

export const requestOptions = Object.fromEntries(flags.map((flag) => [flag.name, flag])) as RequestOptions;

export function requestOptionsFor<const Command extends Taker>(command: Command): OptionsFor<Command> {
  const taken = flags.filter(({ also }) => also.includes(command));
  return Object.fromEntries(
    taken.map((flag) => [flag.name, { ...flag, ...flag.wording?.[command] }]),
  ) as OptionsFor<Command>;
}
