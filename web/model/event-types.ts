import type { EventType } from '../../src/events/event.ts';
import { shapes } from '../../src/events/shapes.ts';

export const eventTypes = Object.keys(shapes) as EventType[];
