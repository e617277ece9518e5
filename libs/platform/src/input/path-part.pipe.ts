import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { invalidRequest } from '../errors/domain-error';
import { composed, textFault } from './characters';
import { hasAtMost } from './faults';
import { inRejectionOrder } from './rejection-order';
import { fr, type Text } from '../errors/text';

const WRONG_LENGTH: Text = {
  en: 'must have 1 to 255 characters',
  fr: fr('doit avoir de 1 à 255 caractères'),
};

/** Brings each part of the path to NFC, trims it, and refuses text that cannot be an identifier. */
@Injectable()
export class PathPartPipe implements PipeTransform {
  /** @throws DomainError `Requete.Invalide` */
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'param') return value;
    const text = composed(String(value)).trim();
    const detail = textFault(text) ?? (text === '' || !hasAtMost(text, 255) ? WRONG_LENGTH : undefined);
    if (detail === undefined) return text;
    await inRejectionOrder(metadata);
    throw invalidRequest([{ pointer: `{${metadata.data ?? ''}}`, code: 'type', detail }]);
  }
}
