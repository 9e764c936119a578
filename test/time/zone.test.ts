import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentOf, type Period, periodOf, periods, periodStart, zoneNamed } from '../../src/time/zone.ts';
import { time } from '../../src/json/read.ts';

const zones = [
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'Etc/GMT+12',
];

it.each<[zone: string, at: string, period: Period, name: string]>([
  ['UTC', '2026-03-29T00:59:59.999Z', 'hour', '2026-03-29T00:00+00:00'],
  ['Europe/Zurich', '2026-03-29T00:59:59.999Z', 'hour', '2026-03-29T01:00+01:00'],
  ['Europe/Zurich', '2026-03-29T01:00:00Z', 'hour', '2026-03-29T03:00+02:00'],
  ['Europe/Zurich', '2026-10-25T00:30:00Z', 'hour', '2026-10-25T02:00+02:00'],
  ['Europe/Zurich', '2026-10-25T01:30:00Z', 'hour', '2026-10-25T02:00+01:00'],
  ['Australia/Lord_Howe', '2026-04-04T14:59:00Z', 'hour', '2026-04-05T01:00+11:00'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 'hour', '2026-04-05T01:00+10:30'],
  ['Asia/Kolkata', '2026-01-31T18:29:59Z', 'hour', '2026-01-31T23:00+05:30'],
  ['Asia/Kolkata', '2026-01-31T18:29:59Z', 'day', '2026-01-31'],
  ['Asia/Kolkata', '2026-01-31T18:30:00Z', 'day', '2026-02-01'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', 'month', '2027-01'],
  ['Etc/GMT+12', '2027-01-01T11:59:59Z', 'month', '2026-12'],
  ['Europe/Zurich', '2026-03-29T21:59:59Z', 'week', '2026-03-23'],
  ['Europe/Zurich', '2026-03-29T22:00:00Z', 'week', '2026-03-30'],
  ['America/New_York', '2026-11-01T04:00:00Z', 'day', '2026-11-01'],
  ['America/New_York', '2026-11-02T04:59:59Z', 'day', '2026-11-01'],
  ['UTC', '1969-12-31T23:59:59Z', 'week', '1969-12-29'],
])('in %s, %s is in the %s %s', (zone, at, period, name) => {
  expect(periodOf(zoneNamed(zone), Date.parse(at), period)).toBe(name);
});

const moment = fc.integer({ min: Date.UTC(2001, 0, 1), max: Date.UTC(2099, 0, 1) });

describe.each(zones)('%s', (name) => {
  const zone = zoneNamed(name);

  it('shows what the platform shows, in any order of moments', () => {
    const format = new Intl.DateTimeFormat('sv', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' });
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 5 }), (moments) => {
        for (const at of moments)
          expect(new Date(zone.localAt(at)).toISOString().slice(0, 19).replace('T', ' ')).toBe(format.format(at));
      }),
    );
  });

  it('has each moment in one period of each kind, which it began', () => {
    fc.assert(
      fc.property(moment, fc.constantFrom(...periods), (at, period) => {
        const start = periodStart(zone.localAt(at), period);
        expect(start).toBeLessThanOrEqual(zone.localAt(at));
        expect(periodStart(start, period)).toBe(start);
      }),
    );
  });

  it('finds the first moment of a day', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const day = periodStart(zone.localAt(at), 'day');
        const first = momentOf(zone, day);
        expect(periodOf(zone, first, 'day')).toBe(periodOf(zone, at, 'day'));
        expect(periodOf(zone, first - 1, 'day')).not.toBe(periodOf(zone, at, 'day'));
      }),
    );
  });
});

it('refuses a zone that there is not', () => {
  expect(() => zoneNamed('Mars/Olympus')).toThrow('unknown time zone: Mars/Olympus');
});

it.each([
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2016-12-31T23:59:60.512Z', '2016-12-31T23:59:59.999Z'],
  ['2017-01-01T08:59:60+09:00', '2016-12-31T23:59:59.999Z'],
  ['2016-12-31T23:60:00Z', undefined],
  ['2016-12-31T23:59:61Z', undefined],
])('a leap second belongs to its day: %s', (text, at) => {
  expect(time(text)).toBe(at === undefined ? undefined : Date.parse(at));
});
